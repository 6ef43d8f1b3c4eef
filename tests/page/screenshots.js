// SPDX-License-Identifier: GPL-2.0-only
// Pictures of every view, light and dark, on a desk and on a phone: node screenshots.js FOLDER [SECONDS of life before]
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { Browser, pause } = require('./browser.js');
const { Bed } = require('./bed.js');

const [folder, seconds = '20'] = process.argv.slice(2);
const SCREENS = { desktop: [1280, 860, false], phone: [390, 844, true] };
const POD = 'apiVersion: v1\nkind: Pod\nmetadata:\n  name: example\nspec:\n  containers:\n  - name: main\n    resources:\n      requests:\n        cpu: ';

// What is done to each view before it is taken.
const acts = {
	overview: () => {},
	nodes: () => {
		const select = document.querySelector('#node-pod'), pod = [...select.options].find((o) => o.value.startsWith('default/video'));
		if (pod) select.value = pod.value;
		select.dispatchEvent(new Event('change'));
		document.querySelector('.tile').click();
	},
	pending: () => [...document.querySelectorAll('#pods button')].find((e) => e.textContent.startsWith('default/video')).click(),
	decisions: () => ([...document.querySelectorAll('#log tr')].find((tr) => tr.querySelector('small').textContent) || document.querySelector('#log tr'))
		.querySelector('button').click(),
	whatif: () => document.querySelector('#ask button').click(),
};

async function take(b, name) {
	fs.writeFileSync(path.join(folder, name + '.png'), await b.picture());
	console.log('  ' + path.join(folder, name + '.png'));
}

async function go(b, view) {
	await b.run((v) => { location.hash = v; }, view);
	await pause(700);
}

async function views(b, bed) {
	await b.size(...SCREENS.desktop);
	await b.go(bed.url);
	await pause(Number(seconds) * 1000);
	for (const [screen, size] of Object.entries(SCREENS))
		for (const scheme of ['light', 'dark'])
			for (const view of Object.keys(acts)) {
				await b.size(...size);
				await b.scheme(scheme);
				await go(b, view);
				await b.run(acts[view]);
				await pause(500);
				await b.run((v) => { if (v === 'overview' || v === 'nodes') scrollTo(0, 0); }, view);
				await take(b, [view, screen, scheme].join('-'));
			}
	await b.size(...SCREENS.desktop);
	await b.scheme('light');
	await go(b, 'whatif');
	await b.run((w) => { document.querySelector('#pod-text').value = w; }, POD + 'lots\n');
	await b.run(acts.whatif);
	await pause(400);
	await take(b, 'whatif-broken');
	await bed.stop();
	await pause(1500);
	await go(b, 'overview');
	await take(b, 'overview-away');
}

async function main() {
	fs.mkdirSync(folder, { recursive: true });
	const b = await Browser.open();
	let bed = await Bed.open(['--life', '--hurry', '60', '--nodes', '24', '--pods', '260'], ['--page-access', 'open']);
	try {
		await bed.pod('video-transcoder', { cpu: '36', memory: '40Gi' });
		await views(b, bed);
		await b.go('about:blank');
		await bed.close();
		bed = await Bed.open(['--life', '--nodes', '5000', '--pods', '6000'], ['--page-access', 'open']);
		await b.go(bed.url);
		await pause(8000);
		await go(b, 'nodes');
		await pause(3000);
		await take(b, 'nodes-5000');
	} finally {
		await b.close();
		await bed.close();
	}
}

main().catch((e) => { console.error(e); process.exit(1); });
