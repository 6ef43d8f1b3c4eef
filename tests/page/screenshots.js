// SPDX-License-Identifier: GPL-2.0-only
// Pictures of every view, light and dark, on a desk and on a phone: node screenshots.js FOLDER [SECONDS of life before] [VIEW...]
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { Browser, pause } = require('./browser.js');
const { Bed } = require('./bed.js');

const [folder, seconds = '20', ...only] = process.argv.slice(2);
const SCREENS = { desktop: [1280, 860, false], phone: [390, 844, true] };
const POD = 'apiVersion: v1\nkind: Pod\nmetadata:\n  name: example\nspec:\n  containers:\n  - name: main\n    resources:\n      requests:\n        cpu: ';

// Addresses, and what is done there before it is taken.
const shots = {
	overview: ['#overview'],
	nodes: ['#nodes'],
	node: ['#nodes/NODE?colour=memory', () => { const block = document.querySelector('.blocks button'); if (block) block.click(); }],
	refusals: ['#nodes?colour=refusals&pod=default/video-transcoder'],
	pending: ['#pending'],
	why: ['#pending/default/video-transcoder'],
	history: ['#history', () => ([...document.querySelectorAll('#log tr')].find((tr) => tr.querySelector('small')) || document.querySelector('#log tr')).querySelector('a').click()],
	whatif: ['#whatif', () => document.querySelector('#ask button').click()],
	workload: ['#whatif', () => {
		document.querySelector('#pod-text').value = 'kind: Deployment\nmetadata:\n  name: web\nspec:\n  replicas: 40\n  template:\n    spec:\n' +
			'      containers:\n      - name: main\n        resources:\n          requests:\n            cpu: 2500m\n            memory: 6Gi\n';
		document.querySelector('#ask button').click();
	}],
	internals: ['#internals'],
};

async function take(b, name) {
	fs.writeFileSync(path.join(folder, name + '.png'), await b.picture());
	console.log('  ' + path.join(folder, name + '.png'));
}

async function go(b, where) {
	await b.run((h) => { location.hash = h; }, where);
	await pause(900);
}

async function views(b, bed) {
	const node = (await bed.tell('GET', '/api/v1/nodes')).items[7].metadata.name;
	await b.size(...SCREENS.desktop);
	await b.go(bed.url);
	await pause(Number(seconds) * 1000);
	for (const [screen, size] of Object.entries(SCREENS))
		for (const scheme of ['light', 'dark'])
			for (const [name, [where, act]] of Object.entries(shots)) {
				if (only.length && !only.includes(name)) continue;
				await b.size(...size);
				await b.scheme(scheme);
				await go(b, where.replace('NODE', node));
				if (act) await b.run(act);
				await pause(800);
				if (screen === 'desktop' || !act) await b.run(() => scrollTo(0, 0));
				await take(b, [name, screen, scheme].join('-'));
			}
	if (only.length) return;
	await b.size(...SCREENS.desktop);
	await b.scheme('light');
	await go(b, '#whatif');
	await b.run((w) => { document.querySelector('#pod-text').value = w; }, POD + 'lots\n');
	await b.run(shots.whatif[1]);
	await pause(400);
	await take(b, 'whatif-broken');
	await bed.stop();
	await pause(1500);
	await go(b, '#overview');
	await take(b, 'overview-away');
}

async function main() {
	fs.mkdirSync(folder, { recursive: true });
	const b = await Browser.open();
	let bed = await Bed.open(['--life', '--hurry', '60', '--nodes', '24', '--pods', '260'], ['--page-access', 'open']);
	try {
		await bed.pod('video-transcoder', { cpu: '36', memory: '40Gi' });
		for (const i of 'bcdfghjklmnp') await bed.pod('mqtt-bridge-7d9f8c5b6d-x' + i + '2k9', { cpu: '33' });
		await bed.pod('slip', { spec: { schedulerName: 'berht' } });
		const { items } = await bed.tell('GET', '/api/v1/nodes');
		await bed.tell('PATCH', '/api/v1/nodes/' + items[3].metadata.name, { spec: { unschedulable: true } });
		await views(b, bed);
		if (only.length) return;
		await b.go('about:blank');
		await bed.close();
		bed = await Bed.open(['--life', '--nodes', '5000', '--pods', '6000'], ['--page-access', 'open']);
		await b.go(bed.url);
		await pause(8000);
		await go(b, '#nodes');
		await pause(3000);
		await take(b, 'nodes-5000');
	} finally {
		await b.close();
		await bed.close();
	}
}

main().catch((e) => { console.error(e); process.exit(1); });
