// SPDX-License-Identifier: GPL-2.0-only
// The page in a real browser, against berth that schedules on the bundled apiserver. Ends with `N passed, N failed`.
'use strict';

const assert = require('node:assert').strict;
const fs = require('node:fs');
const path = require('node:path');
const { Browser, pause } = require('./browser.js');
const { Bed, proxy } = require('./bed.js');
const { axe } = require('./axe.js');
const probe = require('./probe.js');

const VIEWS = ['overview', 'nodes', 'pending', 'history', 'whatif', 'internals'];
let bed, b, passed = 0, failed = 0;
const complaints = []; // of the console, but for what a test expects

async function claim(what, check, expected) {
	try {
		const said = await check();
		passed++;
		console.log('  ok      ' + what + (said ? ': ' + said : ''));
	} catch (e) {
		failed++;
		console.log('  FAILED  ' + what + '\n' + String(e.stack || e).replace(/^/gm, '          '));
	}
	// 503 with "retry" is an answer that the page expects.
	for (const line of await b.console()) if (!/status of 503/.test(line) && !(expected && expected.test(line))) complaints.push(what + ': ' + line);
}

const view = async (name) => {
	await b.run((n) => { location.hash = n; }, name);
	await b.until((n) => !document.getElementById(n).hidden, name);
};
const text = (css) => b.run((c) => document.querySelector(c).innerText, css);
const figure = (name) => b.run((n) => [...document.querySelectorAll('.figures div')].find((d) => d.firstChild.textContent === n).children[1].textContent, name);
const figureIs = (name, value) => b.until((n, v) => [...document.querySelectorAll('.figures div')]
	.some((d) => d.firstChild.textContent === n && d.children[1].textContent === v), name, value);
const saying = (css, words) => b.until((c, w) => document.querySelector(c).innerText.includes(w), css, words);
const press = (css, words) => b.run((c, w) => [...document.querySelectorAll(c)].find((e) => e.textContent === w).click(), css, words);
const gone = (css, words) => b.until((c, w) => !document.querySelector(c).innerText.includes(w), css, words);
const open = (css, words) => b.run((c, w) => [...document.querySelectorAll(c)].find((e) => e.textContent === w).click(), css, words);
const address = () => b.run(() => location.hash);
// "how: what / what to do" of each problem.
const wrong = () => b.run(() => [...document.querySelectorAll('#wrong li')].map((e) => e.className + ': ' + e.children[0].textContent + ' / ' + e.children[1].textContent));
// Of the table below that heading.
const below = (title) => b.run((t) => {
	const place = [...document.querySelectorAll('h3')].find((h) => h.checkVisibility() && h.textContent === t).nextElementSibling;
	return [...place.querySelectorAll('tr')].map((tr) => [...tr.children].map((c) => c.textContent.replace(/\u200b/g, '')));
}, title);

// What the node controller gives a node whose kubelet is silent.
const AWAY = [{ key: 'node.kubernetes.io/unreachable', effect: 'NoSchedule' }];

// n1 has too little left, n2 a taint, n3 is cordoned, n4 is too small; `big` fits nowhere.
async function fill() {
	await bed.node('n1', { zone: 'a' });
	await bed.node('n2', { zone: 'a', taints: [{ key: 'node-role.kubernetes.io/dedicated', value: 'gpu', effect: 'NoSchedule' }] });
	await bed.node('n3', { zone: 'b', unschedulable: true });
	await bed.node('n4', { zone: 'b', cpu: '1', memory: '2Gi' });
	await bed.pod('filler', { cpu: '1500m', memory: '1Gi' });
	await bed.pod('big', { cpu: '3' });
	await bed.pod('gated', { spec: { schedulingGates: [{ name: 'example.com/wait' }] } });
}

async function overview() {
	await claim('the overview shows what there is', async () => {
		await b.go(bed.url);
		await figureIs('Bound', '1');
		await figureIs('Unschedulable', '1');
		await figureIs('Gated', '1');
		await saying('#state', 'Scheduling');
		assert.equal(await text('#waiting'), '2');
		await view('internals');
		assert.equal(await figure('Cluster'), '4 nodes');
		assert.equal(await figure('Lease'), 'leading');
		assert.equal(await figure('apiserver'), 'connected');
		await view('overview');
	});
	await claim('capacity of the nodes that take pods: CPU, memory, pods', async () => {
		const bars = () => b.run(() => [...document.querySelectorAll('#capacity li')].map((e) => e.innerText.replace(/\s+/g, ' ')));
		// n3 is cordoned: 4 + 4 + 1 CPUs, and three times 110 pods
		assert.deepEqual((await bars()).map((w) => w.replace(/^(\w+) .*( of .*), \d+ %$/, '$1$2')), ['CPU of 9', 'Memory of 18 GiB', 'Pods of 330']);
		assert.match(await b.run(() => document.querySelector('#capacity .meter').getAttribute('aria-valuenow')), /^1[67]/);
		assert.deepEqual(await b.run(() => [...document.querySelectorAll('#node-states li')].map((e) => e.innerText.replace(/\s+/g, ' '))), ['3 Ready', '1 cordoned']);
	});
	await claim('what is wrong now: the worst first, each with the thing to do', async () => {
		await saying('#wrong', '1 pod fits no node: default/big');
		assert.deepEqual(await wrong(), ['warn: 1 pod fits no node: default/big / Below is why, and what would help.',
			'idle: 1 node is cordoned: n3 / No new pods go there until kubectl uncordon n3']);
		await bed.pod('slip', { spec: { schedulerName: 'berht' } });
		await saying('#wrong', 'Not scheduled by berth: default/slip');
		assert.equal((await wrong())[0], 'bad: Not scheduled by berth: default/slip / spec.schedulerName is "berht": no profile of this scheduler has that name. ' +
			'Correct spec.schedulerName, or start the scheduler of that name.');
		await bed.tell('DELETE', '/api/v1/namespaces/default/pods/slip?gracePeriodSeconds=0');
		await gone('#wrong', 'slip');
	});
	await claim('a node that is NotReady is what is wrong first, and is no capacity', async () => {
		await bed.node('sick', { zone: 'b', ready: 'Unknown', taints: AWAY });
		await saying('#wrong', '1 node is NotReady: sick');
		assert.match((await wrong())[0], /^bad: 1 node is NotReady: sick .* kubectl describe node sick$/);
		assert.match(await text('#capacity'), /of 9,/);
		await bed.tell('DELETE', '/api/v1/nodes/sick');
		await gone('#wrong', 'sick');
	});
	await claim('60 equal pods are one row with one hint', async () => {
		for (let i = 0; i < 60; i++) await bed.pod('bridge-7d9f8c5b6d-' + [i >> 4, i & 15].map((n) => 'bcdfghjklmnpqrst'[n]).join('') + 'x2k', { cpu: '3500m' });
		await b.until(() => [...document.querySelectorAll('#causes tr')].some((tr) => tr.children[0].textContent === '60' && tr.children[1].textContent === 'default/bridge' && tr.children[2].textContent));
		const row = (await b.run(probe.cells, '#causes')).find((r) => r[1] === 'default/bridge');
		assert.match(row[2], /^2 Insufficient cpu, 1 (had untolerated taint\(s\)|were unschedulable), 1 /);
		assert.equal(row[3], '3.5 of cpu free on one node, or smaller requests.');
		await saying('#wrong', '61 pods fit no node: 60 of default/bridge, default/big');
	});
	await claim('it goes on without being loaded again', async () => {
		await b.run(() => { window.stays = true; });
		await bed.pod('one-more');
		await figureIs('Bound', '2');
		assert.ok(await b.run(() => window.stays));
	});
	await claim('curves of the last minutes: decisions and how long they take', async () => {
		await view('internals');
		for (let i = 0; i < 4; i++) await bed.pod('curve-' + i, { cpu: '10m' });
		await b.until(() => document.querySelector('#rate path').getAttribute('d').length > 10);
		await b.until(() => document.querySelector('#took path:last-child').getAttribute('d').length > 5);
		assert.match(await b.run(() => document.querySelector('#took').getAttribute('aria-label')), /(half within|mean) \d+ µs/);
	});
	await claim('every pool of memory has a bar and its highest mark', async () => {
		await view('internals');
		const names = (await b.run(async () => (await (await fetch('berth/v1/memory')).json()).map((r) => r.name))).sort();
		await b.until((n) => document.querySelectorAll('#rooms li').length === n, names.length);
		assert.deepEqual((await b.run(() => [...document.querySelectorAll('#rooms b')].map((e) => e.textContent))).sort(), names);
		await b.until(() => [...document.querySelectorAll('#rooms .meter')].some((m) => /^pods: \d+, at most \d+, of [\d,]+$/.test(m.getAttribute('aria-label'))));
	});
}

async function pending() {
	await claim('a pending pod: the reason in words, since when, the next try', async () => {
		await view('pending');
		await saying('#pods', 'default/big');
		const row = (await b.run(probe.cells, '#pods')).find((r) => r[0] === 'default/big');
		assert.equal(row[1], 'unschedulable');
		assert.match(row[2], /^2 Insufficient cpu, [12] had untolerated taint\(s\), 1 were unschedulable$/);
		assert.match(await b.run(() => [...document.querySelectorAll('#pods tr')].find((tr) => tr.children[0].textContent === 'default/big').children[2].title),
			/^0\/[45] nodes are available: .*node\(s\) were unschedulable, .*preemption: /);
		assert.equal(row[4], '3 CPU, 64 MiB');
		assert.match(row[6], /^\d+ s$/);
		assert.match(row[7], /^in \d+ min(, after \d+ attempts)?$/);
		assert.deepEqual((await b.run(probe.cells, '#pods')).find((r) => r[0] === 'default/gated').filter((w, i) => i === 1 || i === 7), ['gated', 'when the cluster changes']);
	});
	await claim('equal pods are one row, which opens', async () => {
		const rows = () => b.run(() => document.querySelectorAll('#pods tr').length);
		assert.equal(await b.run(() => document.querySelector('#pods .more').getAttribute('aria-expanded')), 'false');
		const before = await rows();
		assert.ok(before < 10);
		await b.click('#pods .more');
		await b.until((n) => document.querySelectorAll('#pods tr').length === n, before + 60);
		await b.click('#pods .more');
		await b.until((n) => document.querySelectorAll('#pods tr').length === n, before);
	});
	await claim('node by plugin: the first refusal is marked', async () => {
		await open('#pods a', 'default/big');
		await saying('#why', 'Node by node');
		assert.equal(await address(), '#pending/default/big');
		assert.deepEqual(await below('Node by node'), [
			['Node', 'NodeUnschedulable', 'TaintToleration', 'NodeResourcesFit', 'Why'],
			['n1', 'passes', 'passes', 'refuses', 'Insufficient cpu'],
			['n2', 'passes', 'refuses', 'not asked', 'had untolerated taint(s)'],
			['n3', 'refuses', 'not asked', 'not asked', 'were unschedulable'],
			['n4', 'passes', 'passes', 'refuses', 'Insufficient cpu']]);
		assert.equal(await b.run(() => document.querySelectorAll('#why .no').length), 4);
	});
	await claim('the list stays beside the explanation, and Esc closes it', async () => {
		assert.ok(await b.run(() => document.querySelector('#pods').checkVisibility() && document.querySelector('#pods tr.on').textContent.includes('default/big')));
		await b.press('Escape');
		await b.until(() => location.hash === '#pending' && document.querySelector('#why').hidden && document.activeElement.textContent === 'default/big');
		await open('#pods a', 'default/big');
		await saying('#why', 'Node by node');
	});
	await claim('a gated pod is said to be held, whatever node would take it', async () => {
		await b.run(() => { location.hash = '#pending/default/gated'; });
		await saying('#why', 'Not scheduled: it waits for its scheduling gates: example.com/wait. Without them:');
		await saying('#why', 'Would go to ');
		assert.equal(await b.run(() => document.querySelectorAll('#why .verdict.good').length), 0);
		await b.run(() => { location.hash = '#pending/default/big'; });
		await saying('#why', 'Node by node');
	});
	await claim('what change would help', async () => {
		const { items } = await bed.tell('GET', '/api/v1/pods');
		const requests = items.filter((p) => p.spec.nodeName === 'n1').map((p) => parseInt(p.spec.containers[0].resources.requests.cpu, 10));
		const lack = requests.reduce((sum, r) => sum + r, 3000) - 4000;
		const rows = (await below('Why, and what would help')).slice(1).map((r) => r[0] + ' ' + r[1] + ': ' + r[3]);
		assert.deepEqual(rows.sort(), ['1 NodeUnschedulable: kubectl uncordon n3',
			'1 TaintToleration: Tolerate or remove node-role.kubernetes.io/dedicated=gpu:NoSchedule (1 node)', '2 NodeResourcesFit: 2 nodes lack cpu; least: ' + lack + 'm on n1.']);
	});
	await claim('the list is filtered, and keeps up', async () => {
		await b.press('Escape');
		await b.press('/');
		assert.equal(await b.run(() => document.activeElement.id), 'pod-filter');
		await b.write('#pod-filter', 'gat');
		await b.until(() => document.querySelectorAll('#pods tr').length === 1);
		assert.equal(await address(), '#pending?q=gat');
		await b.write('#pod-filter', 'nothing-like-it');
		await saying('#no-pods', 'No pending pod has "nothing-like-it" in its namespace or name.');
		await b.write('#pod-filter', ' ');
		await bed.pod('big-2', { cpu: '3' });
		await saying('#pods', 'default/big-2');
		await bed.tell('DELETE', '/api/v1/namespaces/default/pods/big-2');
		await b.until(() => ![...document.querySelectorAll('#pods a')].some((e) => e.textContent === 'default/big-2'));
		for (const { metadata } of (await bed.tell('GET', '/api/v1/pods')).items)
			if (metadata.name.startsWith('bridge-')) await bed.tell('DELETE', '/api/v1/namespaces/default/pods/' + metadata.name + '?gracePeriodSeconds=0');
		await gone('#pods', 'bridge');
	});
}

const setSelect = (id, value) => b.run((i, v) => { const s = document.getElementById(i); s.value = v; s.dispatchEvent(new Event('change')); }, id, value);
const refusalsOf = async (pod) => {
	await b.run((p) => { location.hash = p ? '#nodes?colour=refusals&pod=' + encodeURIComponent(p) : '#nodes'; }, pod);
	if (pod) await b.until((p) => document.querySelector('#node-pod').value === p && document.querySelector('#node-legend').textContent.includes('feasible'), pod);
};
const tile = (name) => b.run((n) => { const t = [...document.querySelectorAll('.tile b')].find((e) => e.textContent === n).parentNode; return { name: t.className, words: t.innerText.replace(/\s+/g, ' ') }; }, name);
const tiles = (n) => b.until((most) => document.querySelectorAll('#node-tiles .tile').length === most, n);

async function nodes() {
	const names = () => b.run(() => [...document.querySelectorAll('#node-tiles .tile b')].map((e) => e.textContent).join(' '));
	await claim('nodes: a tile each, by zone, coloured by what is requested, with a legend', async () => {
		await view('nodes');
		await tiles(4);
		assert.deepEqual(await b.run(() => [...document.querySelectorAll('#node-tiles h3')].map((e) => e.textContent)), ['a, 2 nodes', 'b, 2 nodes']);
		assert.equal(await names(), 'n1 n2 n3 n4');
		assert.match((await tile('n1')).name, /\bq[23]\b/); // 1,500m and a few of 4
		assert.match((await tile('n1')).words, /^n1 [34]\d %/);
		assert.match((await tile('n3')).words, /cordoned/);
		assert.match(await text('#node-legend'), /to 15 %\s*30 %\s*45 %\s*60 %\s*80 %\s*95 %\s*over 95 %\s*cordoned: 1/);
		const colours = await b.run(() => [...document.querySelectorAll('#node-legend .tile')].slice(0, 7).map((e) => getComputedStyle(e).backgroundColor));
		assert.equal(new Set(colours).size, 7);
	});
	await claim('what is nearly used up has a colour of its own; CPU, memory or pods', async () => {
		await bed.node('n6', { zone: 'd', cpu: '100m', pods: '9' });
		await bed.pod('fills', { spec: { nodeName: 'n6' } });
		await b.until(() => [...document.querySelectorAll('.tile.q6')].some((t) => t.textContent.startsWith('n6 100 %')));
		await setSelect('node-colour', 'pods');
		await b.until(() => [...document.querySelectorAll('.tile')].some((t) => t.textContent.startsWith('n6 11 %') && t.classList.contains('q0')));
		assert.equal(await address(), '#nodes?colour=pods');
		await setSelect('node-colour', '');
		await bed.tell('DELETE', '/api/v1/namespaces/default/pods/fills?gracePeriodSeconds=0');
		await bed.tell('DELETE', '/api/v1/nodes/n6');
		await tiles(4);
	});
	await claim('NotReady and conditions are shown on the tile', async () => {
		await bed.node('n7', { zone: 'b', ready: 'Unknown', taints: AWAY, conditions: [{ type: 'DiskPressure', status: 'True' }] });
		await b.until(() => [...document.querySelectorAll('.tile.away')].some((t) => t.textContent.includes('NotReady, DiskPressure')));
		await b.until(() => document.querySelector('#node-legend').textContent.includes('NotReady: 1'));
		await b.run(() => { location.hash = '#nodes/n7'; });
		await saying('#node-detail', 'NotReady: its kubelet does not report');
		await b.run(() => { location.hash = '#nodes'; });
		await bed.tell('DELETE', '/api/v1/nodes/n7');
		await tiles(4);
	});
	await claim('a node in full: what is requested, taints, labels', async () => {
		await press('.tile b', 'n2');
		await saying('#node-detail', 'node-role.kubernetes.io/dedicated=gpu:NoSchedule');
		assert.equal(await address(), '#nodes/n2');
		assert.match(await text('#node-detail'), /CPU\s*0 of 4/);
		await saying('#node-detail', 'topology.kubernetes.io/zone=a');
		await saying('#node-detail', 'No pods.');
	});
	await claim('its pods are blocks as large as what they request, siblings are marked', async () => {
		for (const i of [0, 1, 2]) await bed.pod('kin-' + i, { cpu: '200m', meta: { ownerReferences: [{ apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'kin', uid: 'u1', controller: true }] },
			spec: { nodeSelector: { 'kubernetes.io/hostname': 'n1' } } });
		await b.run(() => { location.hash = '#nodes/n1'; });
		await b.until(() => [...document.querySelectorAll('.blocks button')].filter((e) => e.title.startsWith('default/kin-')).length === 3);
		const size = (name) => b.run((n) => { const r = [...document.querySelectorAll('.blocks button')].find((e) => e.title.startsWith(n)).getBoundingClientRect(); return r.width * r.height; }, name);
		const ratio = await size('default/filler') / await size('default/kin-0');
		assert.ok(ratio > 6 && ratio < 9, String(ratio)); // 1,500m by 200m
		await b.run(() => [...document.querySelectorAll('.blocks button')].find((e) => e.title.startsWith('default/kin-1')).click());
		await saying('#node-detail', 'StatefulSet/kin');
		assert.equal(await b.run(() => document.querySelectorAll('.blocks .kin').length), 2);
		assert.equal(await address(), '#nodes/n1?p=default%2Fkin-1');
		await b.again();
		await b.until(() => document.querySelectorAll('.blocks .kin').length === 2 && document.querySelectorAll('.blocks .on').length === 1);
		await b.run(() => [...document.querySelectorAll('#node-detail a')].find((e) => e.textContent === 'Why is it here?').click());
		await saying('#why', 'Is on n1');
		assert.match(await text('#why'), /(would go there again|would go to n\d now).*It came there at .*, from 1 feasible node/s);
		await b.run(() => history.back());
		await saying('#node-detail', 'StatefulSet/kin');
		for (const i of [0, 1, 2]) await bed.tell('DELETE', '/api/v1/namespaces/default/pods/kin-' + i + '?gracePeriodSeconds=0');
		await b.until(() => document.querySelectorAll('.blocks .kin').length === 0);
	});
	await claim('on a phone a node that is tapped is in sight', async () => {
		await b.size(390, 844, true);
		await b.run(() => { location.hash = '#nodes'; });
		await press('.tile b', 'n2');
		await saying('#node-detail', 'dedicated=gpu');
		await b.until(() => { const r = document.querySelector('#node-detail h3').getBoundingClientRect(); return r.top >= 0 && r.bottom < innerHeight; });
		await b.size(1280, 860, false);
	});
	await claim('why it refuses a pod: by colour, with a legend', async () => {
		await refusalsOf('default/big');
		assert.equal(await b.run(() => document.querySelectorAll('#node-tiles .tile[class*=" r"]').length), 4);
		assert.match(await text('#node-count'), /4 refuse default\/big/);
		assert.match(await text('#node-legend'), /feasible: 0\s*NodeResourcesFit: 2/);
		await press('.tile b', 'n2');
		await saying('#node-detail', 'Not feasible for default/big: had untolerated taint(s) (TaintToleration)');
		assert.notEqual((await tile('n1')).name, (await tile('n3')).name);
		await refusalsOf('');
	});
	await claim('nodes are filtered by name, zone, taint or state, and sorted', async () => {
		await b.write('#node-filter', 'gpu');
		await tiles(1);
		assert.equal(await names(), 'n2');
		await b.write('#node-filter', 'cordoned');
		await b.until(() => document.querySelector('#node-tiles .tile b').textContent === 'n3');
		await b.write('#node-filter', 'nothing-like-it');
		await saying('#node-tiles', 'No node has "nothing-like-it"');
		await b.write('#node-filter', ' ');
		await tiles(4);
		await setSelect('node-order', 'fullest');
		const usage = await b.run(() => [...document.querySelectorAll('.zone')].map((z) => [...z.children].map((t) => parseInt(t.querySelector('span').textContent, 10))));
		for (const zone of usage) assert.deepEqual(zone, [...zone].sort((x, y) => y - x));
		await setSelect('node-order', '');
	});
	await claim('nodes are grouped by any label', async () => {
		await b.until(() => [...document.querySelector('#node-group').options].some((o) => o.value === 'topology.kubernetes.io/zone'));
		await setSelect('node-group', 'topology.kubernetes.io/zone');
		await b.until(() => document.querySelector('#node-tiles h3').textContent === 'topology.kubernetes.io/zone=a, 2 nodes');
		await setSelect('node-group', '-');
		await b.until(() => document.querySelector('#node-tiles h3').textContent === 'All nodes, 4 nodes');
		await setSelect('node-group', '');
	});
	await claim('a node may be called as what every object has', async () => {
		await bed.node('constructor', { zone: 'c', cpu: '100m' });
		await bed.pod('held', { cpu: '50m', memory: '1Mi', spec: { schedulingGates: [{ name: 'example.com/gate' }] } });
		await refusalsOf('default/held');
		await b.until(() => [...document.querySelectorAll('.tile.takes')].some((t) => t.textContent.startsWith('constructor')));
		await press('.tile b', 'constructor');
		await saying('#node-detail', 'Feasible for default/held.');
		await refusalsOf('');
		await bed.tell('DELETE', '/api/v1/namespaces/default/pods/held?gracePeriodSeconds=0');
		await bed.tell('DELETE', '/api/v1/nodes/constructor');
		await tiles(4);
	}, /status of 404/); // it may have been asked about once more while it went
	await claim('a node that comes is shown', async () => {
		await bed.node('n5', { zone: 'c', cpu: '100m' });
		await saying('#node-tiles', 'n5');
		await bed.tell('DELETE', '/api/v1/nodes/n5');
		await tiles(4);
	});
}

async function loss() {
	await claim('what if a node dies: one number on the overview, pods by name at the node', async () => {
		await bed.pod('only-here', { cpu: '2500m', spec: { nodeSelector: { 'kubernetes.io/hostname': 'n1' } } });
		await view('overview');
		await b.until(() => /^Survives the loss of any one of 3 of 4 nodes$/.test(document.querySelector('#loss-head').textContent)).catch(() => {});
		assert.equal(await text('#loss-head'), 'Survives the loss of any one of 3 of 4 nodes');
		assert.equal(await text('#loss-more'), 'Pods of n1 would find no other place.');
		await b.click('#loss-more a');
		await saying('#node-detail', 'default/only-here');
		assert.equal(await address(), '#nodes/n1?what=loss');
		assert.match(await text('.loss'), /2 pods of \d+ would find no other place\./);
		assert.match(await text('.loss'), /default\/filler 1 Insufficient cpu, 1 had untolerated taint\(s\), 1 were unschedulable, 1 would be gone\n/);
		await bed.tell('DELETE', '/api/v1/namespaces/default/pods/only-here?gracePeriodSeconds=0');
		await b.press('Escape');
		await b.until(() => location.hash.startsWith('#nodes?') || location.hash === '#nodes');
	});
}

async function addresses() {
	const reload = async (hash) => { await b.go('about:blank'); await b.go(bed.url + hash); };
	await claim('an address holds the view, what is chosen, filter and order', async () => {
		await reload('#nodes/n2?q=n&order=emptiest&colour=memory');
		await saying('#node-detail', 'n2');
		assert.deepEqual(await b.run(() => ['node-filter', 'node-order', 'node-colour'].map((id) => document.getElementById(id).value)), ['n', 'emptiest', 'memory']);
		await reload('#pending/default/big?order=name');
		await saying('#why', 'Node by node');
		assert.equal(await b.run(() => document.querySelector('#pod-order').value), 'name');
		await reload('#nodes/not-there');
		await saying('#node-detail', 'There is no node of this name.');
		await reload('#pending/default/not-there');
		await saying('#why', 'There is no such pod any more: it was deleted.');
	}, /status of 404/);
	await claim('the way back of the browser leads through what was looked at, a tab to where it was left', async () => {
		await reload('#nodes?order=fullest');
		await tiles(4);
		await press('.tile b', 'n3');
		await saying('#node-detail', 'Cordoned: takes no new pods. kubectl uncordon n3');
		await view('history');
		await b.run(() => history.back());
		await saying('#node-detail', 'n3');
		await b.click('nav a:nth-child(1)');
		await b.click('nav a:nth-child(2)');
		assert.equal(await address(), '#nodes/n3?order=fullest');
	});
	await claim('keys: digits for views, / for the filter, ? for help, j and k', async () => {
		await reload('#overview');
		await saying('#state', 'Scheduling');
		for (const [i, v] of VIEWS.entries()) {
			await b.press(String(i + 1));
			await b.until((n) => !document.getElementById(n).hidden, v);
			if (v === 'nodes') await tiles(4); // the steps below go through them before they are read again
		}
		await b.press('?');
		assert.ok(await b.run(() => document.querySelector('#help').open));
		await b.press('2');
		assert.equal(await b.run(() => document.querySelector('#nodes').hidden), true);
		await b.press('Escape');
		assert.ok(await b.run(() => !document.querySelector('#help').open));
		await b.press('3');
		await saying('#pods', 'default/big');
		await b.press('j', 'j', 'k', 'Enter');
		await saying('#why', 'at ');
		await b.press('Escape', '2', 'j', 'j', 'Enter'); // faster than the browser tells of addresses
		await saying('#node-detail', 'n2');
		await b.press('Escape', '/', '3', 'x');
		assert.equal(await b.run(() => document.querySelector('#node-filter').value), '3x');
		await b.write('#node-filter', ' ');
		await b.press('Escape');
	});
	await claim('keys of one letter can be turned off', async () => {
		await b.run(() => document.querySelector('#help-open').click());
		await b.click('#keys-off');
		await b.press('Escape', '1');
		assert.equal(await b.run(() => document.querySelector('#overview').hidden), true);
		await b.run(() => document.querySelector('#keys-off').click());
		await b.press('1');
		await b.until(() => !document.querySelector('#overview').hidden);
	});
}

async function history() {
	await claim('what is typed just before a view is left stays out of the next one', async () => {
		await b.run(() => { location.hash = '#nodes'; });
		await b.until(() => !document.getElementById('nodes').hidden);
		await b.run(() => {
			const filter = document.querySelector('#node-filter');
			filter.value = 'n1';
			filter.dispatchEvent(new Event('input'));
			location.hash = '#history?show=scheduled&q=filler';
		});
		await pause(400);
		assert.equal(await b.run(() => location.hash), '#history?show=scheduled&q=filler');
	});
	const row = async (pod, kind) => (await b.run(probe.cells, '#log')).find((r) => r[2] === pod && r[1] === kind);
	await claim('what happened: where to, how many were feasible, how long', async () => {
		await b.run(() => { location.hash = '#history?show=scheduled&q=filler'; });
		await b.until(() => document.querySelectorAll('#log tr').length === 1);
		const placed = await row('default/filler', 'Scheduled');
		assert.match(placed[0], /^\d\d:\d\d:\d\d$/);
		assert.equal(placed[3], 'to n1');
		assert.equal(placed[4], '1');
		assert.match(placed[5], /^[\d.]+ (µs|ms)$/);
		await b.run(() => { location.hash = '#history?show=unschedulable&q=default%2Fbig'; });
		await saying('#log', 'No node');
		assert.match((await row('default/big', 'No node'))[3], /^2 Insufficient cpu, [12] /);
		await b.run(() => { location.hash = '#history?show=error'; });
		await saying('#no-log', 'Nothing like that is kept.');
	});
	await claim('what is asked for while a list is read comes right after it', async () => {
		await b.run(() => {
			const ask = window.fetch;
			window.fetch = async (...a) => { const said = await ask(...a); if (/history/.test(a[0])) await new Promise((d) => setTimeout(d, 900)); return said; };
		});
		await b.run(() => { location.hash = '#history?show=scheduled&q=filler'; });
		await pause(300);
		const start = Date.now();
		await b.run(() => { location.hash = '#history?show=unschedulable&q=default%2Fbig'; });
		await saying('#log', 'No node');
		assert.ok(Date.now() - start < 9000, 'after ' + (Date.now() - start) + ' ms'); // 20 times 900 ms is the rest
		await b.again();
	});
	await claim('nodes that came are in it, and its address opens it', async () => {
		await bed.node('brief', { zone: 'z', cpu: '10m' });
		await b.run(() => { location.hash = '#history?show=node&q=brief'; });
		await saying('#log', 'brief');
		await bed.tell('DELETE', '/api/v1/nodes/brief');
		await b.run(() => { location.hash = '#history?show=scheduled&q=filler'; });
		await saying('#log', 'default/filler');
		await open('#log a', 'default/filler');
		await saying('#best', 'default/filler');
		await b.again();
		await saying('#best', 'It was the only feasible node');
		await b.press('Escape');
		await b.until(() => document.querySelector('#best').hidden);
	});
	await claim('whom a pod preempted: by name, in the history and on the overview', async () => {
		await bed.node('small', { zone: 'p', cpu: '1', memory: '1Gi', taints: [{ key: 'small', effect: 'NoSchedule' }] });
		const there = { nodeSelector: { 'kubernetes.io/hostname': 'small' }, tolerations: [{ operator: 'Exists' }] };
		await bed.pod('humble', { cpu: '800m', spec: there });
		await b.run(() => { location.hash = '#history?q=humble'; });
		await saying('#log', 'to small');
		await bed.pod('noble', { cpu: '800m', spec: { ...there, priority: 1000 } });
		await b.run(() => { location.hash = '#history?show=preemption'; });
		await saying('#log', 'default/noble');
		assert.equal((await row('default/noble', 'Preemption'))[3], 'for it, on small, evicted: default/humble');
		await view('overview');
		await saying('#recent', 'for it, on small, evicted: default/humble');
		await bed.tell('DELETE', '/api/v1/namespaces/default/pods/noble?gracePeriodSeconds=0');
		await bed.tell('DELETE', '/api/v1/namespaces/default/pods/humble?gracePeriodSeconds=0').catch(() => {}); // gone, or still on its way
		await bed.tell('DELETE', '/api/v1/nodes/small');
	});
	await claim('the scores of the best five by plugin', async () => {
		for (let i = 0; i < 5; i++) await bed.node('s' + i, { zone: 's', cpu: '2' });
		await pause(1200); // the page has to have been looked at for a beat
		await bed.pod('scored', { cpu: '50m' });
		await b.run(() => { location.hash = '#history?q=scored'; });
		await saying('#log', 'default/scored');
		await pause(1200);
		await open('#log a', 'default/scored');
		await saying('#best', 'Scores of the best');
		const rows = await b.run(probe.cells, '#best'), chosen = /Scheduled to (\S+)/.exec(await text('#best'))[1];
		assert.equal(rows[0].length, 6);
		assert.equal(rows[0][1], chosen);
		const total = rows.find((r) => r[0] === 'Total'), parts = rows.slice(2);
		assert.ok(parts.some((r) => r[0] === 'NodeResourcesFit'));
		for (let i = 1; i < 6; i++) assert.equal(Number(total[i]), parts.reduce((sum, r) => sum + Number(r[i]), 0));
		await bed.tell('DELETE', '/api/v1/namespaces/default/pods/scored?gracePeriodSeconds=0');
		for (let i = 0; i < 5; i++) await bed.tell('DELETE', '/api/v1/nodes/s' + i);
	});
	await claim('curves are full when the tab opens, and the scrubber goes back in time', async () => {
		const minutes = () => b.run(async () => (await (await fetch('berth/v1/history')).json()).samples.length);
		for (let i = 0; i < 140 && await minutes() < 2; i++) await pause(1000); // a sample a minute
		await b.go('about:blank');
		await b.go(bed.url + '#history');
		await b.until(() => document.querySelectorAll('#curves figure').length === 4 && /^M.*L/.test(document.querySelector('#curves path.area').getAttribute('d')));
		assert.match(await b.run(() => document.querySelector('#curves svg').getAttribute('aria-label')), /^Pending pods, \d\d:\d\d:\d\d: pending \d+$/);
		await b.run(() => document.querySelector('#scrub').focus());
		await b.press('Home');
		await b.until(() => /at=\d+/.test(location.hash) && !document.querySelector('#scrub-now').hidden);
		const at = Number(/at=(\d+)/.exec(await address())[1]);
		await b.until((ms) => [...document.querySelectorAll('#log td:first-child')].every((td) => td.title && Date.parse(td.title.replace(/(\d+)\/(\d+)\/(\d+), /, '$3-$2-$1T')) <= ms), at);
		await b.again();
		await b.until((ms) => location.hash.includes(ms) && document.querySelector('#scrub-at').textContent.startsWith('at '), String(at));
		await b.click('#scrub-now');
		await b.until(() => !location.hash.includes('at=') && document.querySelector('#scrub-at').textContent === 'now');
		await view('overview');
		await b.until(() => document.querySelectorAll('#day figure').length === 2 && /^M/.test(document.querySelector('#day path.area').getAttribute('d')));
	});
}

const POD = 'apiVersion: v1\nkind: Pod\nmetadata:\n  name: x\nspec:\n  priority: 1000\n  containers:\n  - name: c\n    resources:\n      requests:\n        cpu: ';

async function fillIn(words) {
	await b.run((w) => { document.querySelector('#pod-text').value = w; document.querySelector('#answer').replaceChildren(); }, words);
	await b.click('#ask button');
}
const selected = () => b.run(() => { const t = document.querySelector('#pod-text'); return t.value.slice(t.selectionStart, t.selectionEnd); });

async function whatIf() {
	await claim('what if: where it would go, and why not elsewhere', async () => {
		await view('whatif');
		await b.click('#ask button');
		await saying('#answer', 'Goes to n1');
		assert.deepEqual((await below('Node by node')).slice(1).map((r) => r[0]), ['n2', 'n3']);
		assert.deepEqual((await below('Feasible nodes, by score')).slice(1).map((r) => r[0]), ['n1', 'n4']);
	});
	await claim('what if: how many more fit, and what runs out first', async () => {
		assert.match(await text('#answer'), /\d+ such pods fit, this one included\. What runs out first: cpu on \d node/);
		assert.deepEqual((await below('How many fit')).slice(1).map((r) => r[0]).sort(), ['n1', 'n4']);
	});
	await claim('what if: a Deployment is placed pod by pod', async () => {
		await fillIn('kind: Deployment\nmetadata: {name: web}\nspec: {replicas: 3, template: {spec: {containers: [{name: c, resources: {requests: {cpu: 100m}}}]}}}\n');
		await saying('#answer', 'All 3 pods find a node: Deployment default/');
		assert.match(await text('#answer'), /\d on n\d.*The last of these pods.*Goes to n\d/s);
	});
	await claim('what if: too many replicas', async () => {
		await fillIn('kind: Job\nmetadata: {name: much}\nspec: {parallelism: 50, template: {spec: {containers: [{name: c, resources: {requests: {cpu: 1500m}}}]}}}\n');
		await saying('#answer', 'Only ');
		assert.match(await text('#answer'), /Only \d of 50 pods find a node: Job default\/much.*The first without a node.*Insufficient cpu/s);
		assert.deepEqual(await b.run(() => [...document.querySelectorAll('#answer .rows thead th')].filter((th) => th.offsetWidth).map((th) => th.textContent)),
			['Nodes', 'First refusal', 'Why', 'What would help']);
	});
	await claim('what if: which labels a node would need', async () => {
		await fillIn('kind: Pod\nmetadata: {name: picky}\nspec: {nodeSelector: {disk: nvme}, containers: [{name: c}]}\n');
		await saying('#answer', 'A node with disk=nvme.');
	});
	await claim('which running pods would go elsewhere', async () => {
		await bed.node('n9', { zone: 'b', cpu: '1', memory: '2Gi' });
		await bed.pod('misplaced', { cpu: '950m', memory: '1900Mi', spec: { nodeName: 'n9' } });
		await view('nodes');
		await saying('#nodes', 'n9');
		await pause(1200); // the pod comes by another watch
		await view('whatif');
		await b.click('#ask-better');
		await b.until(() => document.querySelector('#better').childElementCount > 0);
		await pause(200);
		const list = await b.run(async () => (await fetch('berth/v1/better')).json());
		assert.equal(list.length, 1);
		assert.deepEqual((await below('Better placed elsewhere')).slice(1), [['default/misplaced', 'n9', String(list[0].score), 'n1', '+' + list[0].gain]]);
		await bed.tell('DELETE', '/api/v1/namespaces/default/pods/misplaced', { gracePeriodSeconds: 0 });
		await bed.tell('DELETE', '/api/v1/nodes/n9');
	});
	await claim('what if: whom it would preempt', async () => {
		await fillIn(POD + '3900m\n');
		await saying('#answer', 'Would preempt');
		assert.match(await text('#answer'), /Would preempt \d+ pods? on n1: (default\/[\w-]+, )*default\/filler/);
	});
	await claim('a broken pod, YAML: the line of the error', async () => {
		await fillIn(POD + 'lots\n');
		await saying('#answer', 'Line 11: ');
		assert.equal(await selected(), '        cpu: lots');
		await fillIn('kind: Pod\nmetadata:\n  name: x\n   spec: {}\n');
		await saying('#answer', 'Line 4: ');
		assert.equal(await selected(), '   spec: {}');
	}, /status of 400/);
	await claim('a broken pod, JSON: the line of the error', async () => {
		await fillIn('{\n "kind": "Pod",\n "spec": {"containers": [}\n}\n');
		await saying('#answer', 'Line 3: ');
		await fillIn('{\n "kind": "Pod",\n "metadata": {"name": "x"},\n "spec": {"containers": [\n  {"name": "c", "resources": {"requests":\n   {"cpu": "much"}}}]}}\n');
		await saying('#answer', 'Line 6: ');
		assert.equal(await selected(), '   {"cpu": "much"}}}]}}');
	}, /status of 400/);
	await claim('nothing was written to the cluster', async () => {
		const { items } = await bed.tell('GET', '/api/v1/pods');
		assert.ok(!items.some((p) => /^(x|example)/.test(p.metadata.name)));
	});
}

async function mayNot() {
	await claim('who may read but not ask what if is told so, and goes on reading', async () => {
		await b.go('about:blank');
		await b.go(bed.url + '#whatif');
		await saying('#state', 'Scheduling');
		await b.run(() => {
			const real = window.fetch;
			window.fetch = (path, more) => path.endsWith('whatif') ? Promise.resolve(new Response('{"message":"forbidden: user may not post"}', { status: 403 })) : real(path, more);
		});
		await b.click('#ask button');
		await saying('#answer', 'The user of this token may not ask that: forbidden: user may not post');
		assert.ok(await b.run(() => document.querySelector('#login').hidden && document.querySelector('#state').textContent === 'Scheduling'));
	});
	await claim('a tab that is not looked at asks nothing, until it is', async () => {
		await b.go('about:blank');
		await b.go(bed.url + '#pending');
		await saying('#pods', 'default/big');
		await b.run(() => {
			const real = window.fetch;
			window.asked = 0;
			window.fetch = (path, more) => { window.asked++; return real(path, more); };
			Object.defineProperty(document, 'hidden', { value: true, configurable: true });
			document.dispatchEvent(new Event('visibilitychange'));
		});
		await pause(5000);
		assert.ok(await b.run(() => window.asked) <= 1);
		await b.run(() => { delete document.hidden; document.dispatchEvent(new Event('visibilitychange')); });
		await b.until(() => window.asked > 1);
	});
}

async function dump() {
	await claim('the picture is downloaded, and simulate and explain read it', async () => {
		await view('internals');
		await b.command('Browser.setDownloadBehavior', { behavior: 'allow', downloadPath: bed.folder });
		await b.click('#dump');
		const file = path.join(bed.folder, 'cluster.json');
		for (let i = 0; i < 50 && !fs.existsSync(file); i++) await pause(100);
		assert.match(bed.run('simulate', file), /big/);
		assert.match(bed.run('explain', 'default/big', '--cluster', file), /untolerated taint/);
	});
	await claim('explain asks berth itself and says the same', async () => {
		await bed.pod('asked', { cpu: '3' });
		const said = bed.run('explain', 'default/asked', '--server', bed.url);
		assert.match(said, /^Pod default\/asked: no node\.\n0\/4 nodes are available: /);
		assert.match(said, /\nn2 +\S+ +TaintToleration +node\(s\) had untolerated taint\(s\)\n/);
		await bed.tell('DELETE', '/api/v1/namespaces/default/pods/asked');
	});
}

async function looks() {
	for (const scheme of ['light', 'dark'])
		await claim('contrast of 4.5 : 1 and more, ' + scheme, async () => {
			await b.scheme(scheme);
			for (const v of VIEWS) {
				await view(v);
				await pause(100);
				assert.deepEqual(await b.run(probe.pale), [], v);
			}
			const back = await b.run(() => getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number));
			assert.ok(scheme === 'dark' ? Math.max(...back) < 60 : Math.min(...back) > 220, back);
		});
	await b.scheme('light');
	for (const [width, height] of [[320, 640], [390, 844], [768, 1024], [1280, 800], [2560, 1440]])
		await claim('nothing sticks out, ' + width + ' wide', async () => {
			await b.size(width, height, width < 600);
			for (const v of VIEWS) {
				await view(v);
				await pause(100);
				if (v === 'nodes') { await refusalsOf('default/big'); await b.run(() => { location.hash = '#nodes/n1'; }); await saying('#node-detail', 'Pods'); assert.deepEqual(await b.run(probe.wide), [], v); await refusalsOf('default/big'); }
				if (v === 'pending') {
					await saying('#pods', 'default/big');
					assert.deepEqual(await b.run(probe.wide), [], v);
					await open('#pods a', 'default/big');
					await saying('#why', 'Node by node');
				}
				await b.run(() => { document.querySelector('#waiting').textContent = '1234'; });
				assert.deepEqual(await b.run(probe.wide), [], v);
				assert.deepEqual(await b.run(probe.small), [], v);
			}
		});
	await b.size(1280, 800);
}

async function screenReaders() {
	const { script, missing } = axe();
	if (missing) {
		console.log('  skipped axe-core: ' + missing);
		return;
	}
	for (const [how, act] of [['on a desk', () => b.size(1280, 800)], ['on a phone', () => b.size(390, 844, true)], ['in the dark', () => b.scheme('dark')]])
		await claim('axe-core finds nothing, ' + how, async () => {
			await act();
			for (const where of [...VIEWS, 'nodes/n1', 'pending/default/big', 'nodes?colour=refusals&pod=default/big']) {
				await b.run((h) => { location.hash = h; }, where);
				await pause(400);
				const found = await b.run(async (source) => {
					if (!window.axe) (0, eval)(source);
					const { violations } = await window.axe.run(document, { resultTypes: ['violations'] });
					return violations.map((v) => v.id + ': ' + v.nodes.slice(0, 3).map((n) => n.target.join(' ')).join(', '));
				}, script).catch((e) => [String(e)]);
				assert.deepEqual(found, [], where);
			}
		});
	await b.scheme('light');
	await b.size(1280, 800);
}

async function keyboard() {
	const walk = async (most) => {
		const names = [];
		for (let i = 0; i < most; i++) {
			await b.press('Tab');
			const at = await b.run(probe.focused);
			if (at.name === 'BODY') break;
			assert.ok(at.seen, 'the focus cannot be seen at ' + at.name);
			names.push(at.name);
		}
		return names;
	};
	await claim('focus goes in the order of reading, and can be seen', async () => {
		await b.go('about:blank');
		await b.go(bed.url);
		await saying('#state', 'Scheduling');
		assert.deepEqual((await walk(8)), ['skip', '#overview', '#nodes', '#pending', '#history', '#whatif', '#internals', 'help-open']);
		await b.go('about:blank');
		await b.go(bed.url + '#nodes');
		await b.until(() => document.querySelectorAll('.tile').length >= 4);
		assert.deepEqual((await walk(5)).map((n) => n.replace(/^#nodes\/n1$/, 'tile')), ['node-filter', 'node-colour', 'node-group', 'node-order', 'tile']);
		await b.go('about:blank');
		await b.go(bed.url + '#whatif');
		assert.deepEqual(await walk(2), ['pod-text', 'Ask']);
	});
	await claim('all by keys: a view, a tile, a pod, a question', async () => {
		await b.go('about:blank');
		await b.go(bed.url);
		await saying('#state', 'Scheduling');
		await b.press('Tab', 'Tab', 'Tab', 'Enter');
		await b.until(() => document.querySelectorAll('.tile').length >= 4);
		await b.run(() => document.querySelector('#node-order').focus());
		await b.press('Tab', 'Right', 'Right', 'Left');
		assert.equal(await b.run(() => document.activeElement.querySelector('b').textContent), 'n2');
		await b.press('Enter');
		await saying('#node-detail', 'n2');
		await b.run(() => document.querySelector('.tile.on').focus());
		await b.press('End', 'Enter');
		await saying('#node-detail', 'n4');
		await view('pending');
		await saying('#pods', 'default/big');
		await b.run(() => [...document.querySelectorAll('#pods a')].find((e) => e.textContent === 'default/big').focus());
		await b.press('Enter');
		await saying('#why', 'Node by node');
		assert.equal((await b.run(probe.focused)).name, 'why');
		await view('whatif');
		await b.run(() => document.querySelector('#pod-text').focus());
		await b.run(() => document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', ctrlKey: true, bubbles: true })));
		await saying('#answer', 'Goes to');
	});
	await claim('every control, bar and picture has a name; headings are in order', async () => {
		for (const v of VIEWS) {
			await view(v);
			await pause(150);
			const { nodes: tree } = await b.command('Accessibility.getFullAXTree');
			const roles = ['button', 'link', 'textbox', 'searchbox', 'combobox', 'meter', 'image', 'img', 'region', 'navigation', 'complementary', 'table'];
			const mute = tree.filter((n) => !n.ignored && n.role && roles.includes(n.role.value) && n.role.value !== 'table' && !(n.name && n.name.value));
			assert.deepEqual(mute.map((n) => n.role.value), [], v);
			assert.ok(await b.run(probe.headings), v);
			assert.ok(await b.run((name) => document.title.length > 7 && document.querySelectorAll('main').length === 1 && document.documentElement.lang === 'en' &&
				document.querySelector('nav [aria-current=page]').hash.startsWith('#' + name), v));
		}
	});
}

async function restart() {
	await claim('another scheduler at work is bad, and said with what to do', async () => {
		await view('overview');
		await bed.pod('taken', { cpu: '3500m' });
		await saying('#causes', 'default/taken');
		await bed.tell('POST', '/api/v1/namespaces/default/pods/taken/binding', { apiVersion: 'v1', kind: 'Binding', metadata: { name: 'taken' }, target: { kind: 'Node', name: 'n1' } });
		await saying('#state', 'Another scheduler binds the same pods');
		assert.equal(await b.run(() => document.querySelector('#state').className), 'bad');
		assert.match((await wrong())[0], /^bad: Another scheduler binds the same pods: 1, the last .* ago \/ Stop one of the two: /);
		await bed.tell('DELETE', '/api/v1/namespaces/default/pods/taken?gracePeriodSeconds=0');
	});
	await claim('berth goes away and comes back; the page follows by itself', async () => {
		await view('overview');
		await b.run(() => { window.stays = true; });
		assert.ok(Number(await figure('Bound')) > 5);
		await bed.stop();
		await b.until(() => document.querySelector('#state').className === 'bad' && document.body.classList.contains('stale'));
		// A new certificate would look the same from here.
		await b.until(() => !document.querySelector('#notice').hidden && document.querySelector('#notice').innerText.includes('Reload the page'));
		await bed.start();
		await b.until(() => document.querySelector('#state').textContent === 'Scheduling' && !document.body.classList.contains('stale') && document.querySelector('#notice').hidden);
		assert.ok(await b.run(() => window.stays));
		await figureIs('Bound', '0'); // since it started
		await bed.pod('after', { cpu: '10m' });
		await figureIs('Bound', '1');
	}, /ERR_CONNECTION_REFUSED|ERR_CONNECTION_RESET|ERR_INCOMPLETE|ERR_HTTP2|network error|ERR_EMPTY/);
}

const EVIL = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>';

async function hostile() {
	const calm = bed;
	bed = await Bed.open([], ['--page-access', 'open'],
		(words) => words.replace(/evil(node|pod|zone|taint)/g, (w, what) => JSON.stringify(EVIL + what).slice(1, -1)));
	await bed.node('evilnode', { zone: 'evilzone', taints: [{ key: 'eviltaint', value: 'eviltaint', effect: 'NoSchedule' }] });
	await bed.pod('evilpod', { meta: { labels: { a: 'evilzone' }, annotations: { a: 'evilzone' } } });
	await claim('script in names, labels, annotations and taints is text', async () => {
		await b.go(bed.url + '#nodes');
		await tiles(1);
		await b.click('#node-tiles .tile');
		await saying('#node-detail', EVIL + 'node');
		await saying('#node-detail', EVIL + 'taint=' + EVIL + 'taint:NoSchedule');
		await view('pending');
		await saying('#pods', 'default/' + EVIL + 'pod');
		await b.click('#pods a');
		await saying('#why', EVIL + 'node');
		await view('history');
		await saying('#log', EVIL + 'pod');
		await open('#log a', 'default/' + EVIL + 'pod');
		await saying('#best', EVIL + 'pod');
		await view('whatif');
		await fillIn('kind: Pod\nmetadata: {name: "' + EVIL.replace(/"/g, '\\"') + '"}\nspec:\n  containers:\n  - resources: {requests: {cpu: "' + EVIL.replace(/"/g, '\\"') + '"}}\n');
		await saying('#answer', 'Line 5');
		await pause(200);
		assert.equal(await b.run(() => window.hacked), null);
		assert.equal(await b.run(() => document.querySelectorAll('img').length + document.querySelectorAll('script').length), 2);
	}, /status of 400/);
	await claim('the policy holds: script that was put in does not run', async () => {
		const violated = await b.run(() => new Promise((done) => {
			document.addEventListener('securitypolicyviolation', (e) => done(e.violatedDirective));
			const s = document.createElement('script');
			s.textContent = 'window.hacked = 1';
			document.body.append(s);
			setTimeout(() => done(''), 3000);
		}));
		assert.match(violated, /^script-src/);
		assert.equal(await b.run(() => window.hacked), null);
	}, /Content Security Policy/);
	await b.go('about:blank');
	await bed.close();
	bed = calm;
}

async function login() {
	const calm = bed;
	bed = await Bed.open(['--token', 'secret'], ['--page-access', 'review']);
	await claim('a token that is not known any more is asked for', async () => {
		await b.go(await proxy(bed.url.slice(0, -1), { 'X-Forwarded-For': '192.0.2.1' }) + '/');
		await b.run(() => sessionStorage.setItem('token', 'expired'));
		await b.again();
		await b.until(() => !document.querySelector('#login').hidden);
		await b.write('#token', 'wrong');
		await b.press('Enter');
		await pause(500);
		assert.ok(await b.run(() => !document.querySelector('#login').hidden));
		await saying('#login-why', 'This token is not valid, or not any more.');
		await saying('#login', 'kubectl -n kube-system create token berth-page');
		await saying('#login', 'ssh -L 10259:127.0.0.1:10259');
		assert.ok(await b.run(() => !document.querySelector('#overview').checkVisibility() && !document.querySelector('nav').checkVisibility()));
		await b.write('#token', 'secret');
		await b.press('Enter');
		await saying('#state', 'No nodes to schedule to'); // true, so not green
		assert.equal(await b.run(() => document.querySelector('#state').className), 'warn');
		assert.ok(await b.run(() => document.querySelector('#login').hidden && document.querySelector('#overview').checkVisibility()));
	}, /status of 40[13]/);
	await claim('an apiserver that goes away is seen to be away', async () => {
		await view('overview');
		await figureIs('apiserver', 'connected');
		bed.apisim.kill();
		await figureIs('apiserver', 'not reached');
		await saying('#state', 'The apiserver is not reached');
		assert.equal(await b.run(() => document.querySelector('#state').className), 'bad');
		assert.match((await wrong())[0], /^bad: The apiserver is not reached \/ /);
	});
	await b.go('about:blank');
	await bed.close();
	bed = calm;
}

// How much longer than alone things take here now: wall clock by processor time.
function crowd() {
	const before = process.cpuUsage(), start = performance.now();
	while (performance.now() - start < 200);
	const { user, system } = process.cpuUsage(before);
	return Math.max(1, 200000 / (user + system));
}

// A gateway site, and as many nodes as a cluster may have: the same is asked of both.
async function site() {
	await shown(40, 776, async () => {
		await bed.node('n1');
		await looks();
		await screenReaders();
	});
}
async function large() { await shown(5000, 3000, async () => {}); }
async function shown(nodes, pods, more) {
	const calm = bed, of = nodes.toLocaleString('en') + ' nodes';
	bed = await Bed.open(['--nodes', String(nodes), '--pods', String(pods)], ['--page-access', 'open']);
	const measure = async (act, longest) => {
		let crowded = crowd();
		const m = await b.run(probe.smooth, String(act).replace('TILES', nodes));
		crowded = Math.max(crowded, crowd());
		const said = words(m) + (crowded > 1.2 ? ', on a machine that is ' + crowded.toFixed(1) + ' times as slow as alone' : '');
		assert.ok(m.longest < longest * crowded && m.frame < 34 * crowded, said);
		return said;
	};
	const words = (m) => m.took + ' ms, longest task ' + m.longest + ' ms, frames of ' + m.frame + ' ms, the worst ' + m.worst + ' ms';
	await claim(of + ' are shown', async () => {
		await b.go(bed.url);
		await figureIs('Cluster', of);
		await figureIs('Active', '0');
		return measure(() => new Promise((done) => {
			location.hash = 'nodes';
			const look = () => document.querySelectorAll('#node-tiles .tile').length === TILES ? done() : setTimeout(look, 20);
			look();
		}), 400);
	});
	await claim('from an address to the map of ' + of, async () => {
		await b.go('about:blank');
		await b.go(bed.url + '#nodes');
		await tiles(nodes);
		await b.until(() => document.querySelector('.tile[tabindex="0"]'));
		const [paint, ready] = await b.run(() => [performance.getEntriesByName('first-contentful-paint')[0].startTime, performance.getEntriesByName('map').pop().startTime]);
		return 'first paint after ' + Math.round(paint) + ' ms, every node can be chosen after ' + Math.round(ready) + ' ms';
	});
	for (const [what, act, most] of [
		['scrolled', async () => { for (let y = 0; y < 3000; y += 60) { scrollTo(0, y); await new Promise(requestAnimationFrame); } }, 100],
		['filtered', async () => {
			const f = document.querySelector('#node-filter');
			for (const w of ['0', '04', '049', '']) { f.value = w; f.dispatchEvent(new Event('input')); await new Promise((done) => setTimeout(done, 400)); }
		}, 200],
		['sorted', async () => {
			const s = document.querySelector('#node-order');
			for (const w of ['fullest', 'emptiest', '']) { s.value = w; s.dispatchEvent(new Event('change')); await new Promise((done) => setTimeout(done, 400)); }
		}, 200],
	])
		await claim(of + ' stay smooth while they are ' + what, () => measure(act, most));
	await claim('an explanation of ' + of + ' is shown', async () => {
		await bed.pod('big', { cpu: '900' });
		await view('pending');
		await saying('#pods', 'default/big');
		await open('#pods a', 'default/big');
		await saying('#why', nodes > 1000 ? 'Show all ' + nodes : 'node-00039');
		assert.match((await below('Why, and what would help')).flat().join(' '), /nodes too small: 900 cpu requested, the largest has/);
	});
	await claim('numbers agree: the badge, the list by cause, the node states, what berth says; ' + of, async () => {
		for (let i = 0; i < 7; i++) await bed.pod('more-' + i, { cpu: '800' });
		await view('overview');
		let seen;
		const agree = () => seen.badge >= 8 && seen.badge === seen.list && seen.badge === seen.said && seen.states === seen.nodes;
		for (let i = 0; i < 60 && !(seen && agree()); i++) { // the cluster lives: each of them is of its own moment
			await pause(500);
			seen = await b.run(async () => {
				const { queue: q, cluster } = await (await fetch('berth/v1/overview')).json();
				const number = (e) => Number(e.textContent.replace(/[^0-9]/g, '')), sum = (list) => list.reduce((all, n) => all + n, 0);
				return { badge: number(document.querySelector('#waiting')), list: sum([...document.querySelectorAll('#causes tr')].map((tr) => number(tr.children[0]))),
					said: q.active + q.backoff + q.unschedulable + q.gated + q.noMemory + q.otherSchedulers,
					states: sum([...document.querySelectorAll('#node-states li')].map(number)), nodes: cluster.nodes };
			});
		}
		assert.ok(agree(), JSON.stringify(seen));
		return seen.badge + ' pods wait';
	});
	await more();
	await b.go('about:blank');
	await bed.close();
	bed = calm;
}

async function main() {
	const only = process.argv.slice(2);
	bed = await Bed.open(['--no-life'], ['--page-access', 'open']);
	await fill();
	b = await Browser.open();
	await b.size(1280, 800);
	await b.scheme('light');
	try {
		for (const part of [overview, pending, nodes, loss, addresses, history, whatIf, mayNot, dump, looks, screenReaders, keyboard, restart, hostile, login, site, large])
			if (!only.length || part === overview || only.includes(part.name)) await part();
		await claim('the console has nothing to say', async () => assert.deepEqual(complaints, []));
	} finally {
		await b.close();
		await bed.close();
	}
	console.log(passed + ' passed, ' + failed + ' failed');
	process.exitCode = failed ? 1 : 0;
}

main().catch((e) => { console.error(e); console.log('0 passed, 1 failed'); process.exit(1); });
