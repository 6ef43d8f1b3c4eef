// SPDX-License-Identifier: GPL-2.0-only
// Strangers against the shipped binary: `make siege`. Sixty connections that behave badly and come again as soon as they are
// closed, while a kubelet probes /livez on loopback, a Prometheus with a good token scrapes, and a backlog is bound. A table
// says how long probes and scrapes waited and how fast the backlog went, against the same without strangers.
//
// usage: siege.js [MODE...]    SIEGE_STRANGERS (60), SIEGE_SECONDS of each (6), SIEGE_PODS of the backlog (2000)
//        siege.js --strangers PORT MODE COUNT    the strangers, in a process of their own
'use strict';

const { spawn } = require('node:child_process');
const fs = require('node:fs');
const https = require('node:https');
const net = require('node:net');
const os = require('node:os');
const path = require('node:path');
const tls = require('node:tls');

const build = process.env.BERTH_BUILD || 'build/x86_64';
const number = (name, otherwise) => Number(process.env[name] || otherwise);
const strangers = number('SIEGE_STRANGERS', 60), seconds = number('SIEGE_SECONDS', 6), pods = number('SIEGE_PODS', 2000);
const pause = (ms) => new Promise((done) => { setTimeout(done, ms); });
const TOKEN = 'good';
const LIMIT_MS = 1000, SPEED_PERCENT = 90;

// ---- strangers: each mode is what happens on an open connection ----

const secured = (then) => (socket) => {
	const s = tls.connect({ socket, rejectUnauthorized: false }, () => then(s));
	s.on('error', () => {});
};
const REQUEST = 'GET /livez HTTP/1.1\r\nHost: a\r\n\r\n';
const modes = {
	'says nothing': () => {},
	'half a hello': (s) => s.write(Buffer.from('16030102000100', 'hex')),
	'half a request': secured((s) => s.write('GET /livez HTTP/1.1\r\nHost: ')),
	'reads nothing': secured((s) => { s.write(REQUEST.replace('/livez', '/page.js')); s.pause(); }),
	garbage: (s) => s.write(Buffer.concat([Buffer.from('1603010200', 'hex'), Buffer.alloc(600, 'g')])),
	'pipelined, unread': secured((s) => { s.pause(); s.write(REQUEST.replace('/livez', '/page.js').repeat(500)); }),
};

// From sixty addresses, or all from one. None of them is the address that the server has.
function stranger(port, mode, address) {
	const again = () => setTimeout(() => stranger(port, mode, address), 1);
	const s = net.connect({ port, host: '127.0.0.1', localAddress: address });
	s.on('connect', () => modes[mode](s));
	s.on('error', () => {});
	s.on('close', again);
	if (!/unread|reads/.test(mode)) s.resume();
}

// ---- the bed: bundled apiserver and berth ----

function answerOf(options, body) {
	return new Promise((done) => {
		const began = process.hrtime.bigint();
		const end = (status, text) => done({ status, text, ms: Number(process.hrtime.bigint() - began) / 1e6 });
		const r = https.request({ host: '127.0.0.1', rejectUnauthorized: false, timeout: 10000, ...options }, (a) => {
			let text = '';
			a.on('data', (bytes) => { text += bytes; });
			a.on('end', () => end(a.statusCode, text));
			a.on('error', () => end(0, ''));
		});
		r.on('timeout', () => r.destroy());
		r.on('error', () => end(0, ''));
		r.end(body);
	});
}

function freePort() {
	return new Promise((found) => {
		const server = net.createServer();
		server.listen(0, '127.0.0.1', () => { const { port } = server.address(); server.close(() => found(port)); });
	});
}

class Bed {
	async open() {
		this.folder = fs.mkdtempSync(path.join(os.tmpdir(), 'berth-siege-'));
		const config = path.join(this.folder, 'kubeconfig'), log = fs.openSync(path.join(this.folder, 'log'), 'a');
		this.apiPort = await freePort();
		this.port = await freePort();
		this.apisim = spawn(build + '/apisim', ['--port', String(this.apiPort), '--token', TOKEN, '--kubeconfig-out', config],
			{ stdio: ['ignore', log, log] });
		for (let i = 0; i < 100 && !fs.existsSync(config); i++) await pause(50);
		await pause(100);
		this.agent = new https.Agent({ keepAlive: true, maxSockets: 8 });
		for (let i = 0; i < 40; i++) await this.tell('POST', '/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' + i },
			spec: { unschedulable: true }, status: { allocatable: { cpu: '64', memory: '256Gi', pods: '200' }, capacity: { cpu: '64', memory: '256Gi', pods: '200' } } });
		const made = [];
		for (let i = 0; i < pods; i++) made.push(this.tell('POST', '/api/v1/namespaces/default/pods', { apiVersion: 'v1', kind: 'Pod',
			metadata: { name: 'p' + i, namespace: 'default' }, spec: { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '100m' } } }] } }));
		await Promise.all(made);
		this.berth = spawn(build + '/berth', ['run', '--kubeconfig', config, '--bind-address', '127.0.0.1', '--secure-port', String(this.port),
			'--page-access', 'open'], { stdio: ['ignore', log, log] });
		for (let i = 0; i < 200; i++) {
			if ((await this.get('/readyz')).status === 200 && (await this.figures()).includes(String(pods))) return;
			await pause(50);
		}
		throw new Error('berth does not come up: ' + fs.readFileSync(path.join(this.folder, 'log'), 'utf8').slice(-2000));
	}
	async tell(method, where, object) {
		const a = await answerOf({ port: this.apiPort, agent: this.agent, method, path: where, headers: { Authorization: 'Bearer ' + TOKEN,
			'Content-Type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json' } }, JSON.stringify(object));
		if (a.status < 200 || a.status > 299) throw new Error(method + ' ' + where + ': ' + a.status + ' ' + a.text);
	}
	// A connection of its own each time, from an address of the caller's.
	get(where, more) { return answerOf({ port: this.port, agent: false, path: where, ...more }); }
	async figures() { return (await this.get('/metrics', { headers: { Authorization: 'Bearer ' + TOKEN } })).text; }
	async bound() {
		const m = /^scheduler_schedule_attempts_total\{[^}]*result="scheduled"[^}]*\} (\d+)/m.exec(await this.figures());
		return m ? Number(m[1]) : 0;
	}
	// Uncordons all nodes: pods a second, from the apiserver's first binding to the last.
	async work() {
		for (let i = 0; i < 40; i++) await this.tell('PATCH', '/api/v1/nodes/n' + i, { spec: { unschedulable: null } });
		const began = Date.now();
		for (;;) {
			if (await this.bound() >= pods) return pods * 1000 / (Date.now() - began);
			if (Date.now() - began > 60000) return 0;
			await pause(25);
		}
	}
	async close() {
		for (const child of [this.berth, this.apisim]) {
			if (child.exitCode !== null) continue;
			await new Promise((done) => { child.on('exit', done); child.kill(); });
		}
		this.agent.destroy();
		fs.rmSync(this.folder, { recursive: true });
	}
}

// Asks every 200 ms until told to end; slowest answer and how many were none.
function visitor(bed, where, more) {
	const seen = { asked: 0, failed: 0, slowest: 0 };
	let on = true;
	const turn = async () => {
		const a = await bed.get(where, more);
		seen.asked++;
		seen.slowest = Math.max(seen.slowest, a.ms);
		if (a.status !== 200) seen.failed++;
	};
	const all = [];
	const done = (async () => { while (on) { all.push(turn()); await pause(200); } await Promise.all(all); return seen; })();
	return () => { on = false; return done; };
}

async function round(mode, addresses) {
	const bed = new Bed();
	await bed.open();
	const crowd = mode && spawn(process.execPath, [__filename, '--strangers', String(bed.port), mode, String(strangers), addresses], { stdio: 'inherit' });
	if (crowd) await pause(1500);
	const probe = visitor(bed, '/livez');
	const scrape = visitor(bed, '/metrics', { headers: { Authorization: 'Bearer ' + TOKEN }, localAddress: '127.0.3.1' });
	await pause(seconds * 500);
	const speed = await bed.work();
	await pause(seconds * 500);
	const seen = { probe: await probe(), scrape: await scrape(), speed };
	if (crowd) crowd.kill();
	await bed.close();
	return seen;
}

async function main() {
	const wanted = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(modes);
	const quiet = [await round(), await round()];
	const best = Math.max(...quiet.map((q) => q.speed));
	let failed = 0;
	const line = (name, from, seen) => {
		const percent = seen.speed * 100 / best;
		const good = [seen.probe, seen.scrape].every((v) => v.failed === 0 && v.slowest <= LIMIT_MS) && percent >= SPEED_PERCENT;
		if (!good) failed++;
		const waited = (v) => `${v.asked} asked, ${v.failed} failed, ${v.slowest.toFixed(0)} ms`.padEnd(30);
		console.log(`${name.padEnd(18)} ${from.padEnd(14)} ${waited(seen.probe)} ${waited(seen.scrape)} ${seen.speed.toFixed(0).padStart(6)}/s ${percent.toFixed(0).padStart(4)} % ${good ? 'ok' : 'FAILED'}`);
	};
	console.log(`${'strangers'.padEnd(18)} ${'from'.padEnd(14)} ${'/livez, slowest'.padEnd(30)} ${'scrape, slowest'.padEnd(30)} bound`);
	for (const q of quiet) line('none', '', q);
	for (const mode of wanted) for (const addresses of ['one', 'many']) line(mode, addresses === 'one' ? 'one address' : strangers + ' addresses', await round(mode, addresses));
	console.log(`${wanted.length * 2 + 2 - failed} passed, ${failed} failed`);
	process.exit(failed ? 1 : 0);
}

if (process.argv[2] === '--strangers') {
	const [port, mode, count, addresses] = process.argv.slice(3);
	for (let i = 0; i < Number(count); i++) stranger(Number(port), mode, '127.0.2.' + (addresses === 'one' ? 1 : 1 + i));
} else {
	main().catch((e) => { console.error(e); process.exit(1); });
}
