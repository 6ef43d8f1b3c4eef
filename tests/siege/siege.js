// SPDX-License-Identifier: GPL-2.0-only
// Strangers against the shipped binary: `make siege`. Connections that behave badly and come again as soon as they are closed:
// sixty from one address, sixty from as many, and twice as many from the address that the kubelet has, too. Meanwhile a kubelet
// probes /livez on loopback, a Prometheus with a good token scrapes, and backlogs are bound. A table says how long probes and
// scrapes waited while strangers were there, and how fast the backlogs went.
//
// Speed is a ratio within one run of one berth: backlogs are bound by turns with strangers and without; the fastest of each
// are compared, since whatever else the machine does only slows. The column CPU has the same by the processor time that berth
// took for a pod, which other work on the machine changes less. Strangers run at the lowest priority: they stand for machines
// of their own. Those of this machine could take its processor without any port, and a probe cannot be told from them: for
// them the speed is shown and not judged, as a line of 120 handshakes that moves within a second needs its part of the time.
//
// usage: siege.js [MODE...]    SIEGE_STRANGERS (60), SIEGE_ROUNDS with them and without (3), SIEGE_PODS of a backlog (3000)
//        siege.js --strangers PORT MODE COUNT FROM    the strangers, in a process of their own
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
const strangers = number('SIEGE_STRANGERS', 60), rounds = number('SIEGE_ROUNDS', 3), pods = number('SIEGE_PODS', 3000);
const GROUP = 20; // nodes of one backlog
const pause = (ms) => new Promise((done) => { setTimeout(done, ms); });
const TOKEN = 'good';
const LIMIT_MS = 1000, SPEED_PERCENT = 90;

// ---- strangers: each mode is what happens on an open connection ----

const secured = (then) => (socket) => {
	const s = tls.connect({ socket, rejectUnauthorized: false }, () => then(s));
	s.on('error', () => {});
};
// Who reads nothing does not see the end either, but for writing on.
const deaf = (s) => {
	s.pause();
	const on = setInterval(() => s.write('\r\n'), 200);
	s.on('close', () => clearInterval(on));
};
// A whole first message of a real client, after which nothing comes.
let hello = null;
const recordHello = () => new Promise((done) => {
	const server = net.createServer((s) => s.once('data', (bytes) => { hello = bytes; s.destroy(); server.close(); done(); }));
	server.listen(0, '127.0.0.1', () => tls.connect({ port: server.address().port }).on('error', () => {}));
});
const REQUEST = 'GET /livez HTTP/1.1\r\nHost: a\r\n\r\n';
const modes = {
	'says nothing': () => {},
	'half a hello': (s) => s.write(Buffer.from('16030102000100', 'hex')),
	'half a request': secured((s) => s.write('GET /livez HTTP/1.1\r\nHost: ')),
	'reads nothing': secured((s) => { s.write(REQUEST.replace('/livez', '/page.js')); deaf(s); }),
	garbage: (s) => s.write(Buffer.concat([Buffer.from('1603010200', 'hex'), Buffer.alloc(600, 'g')])),
	'made-up tokens': secured((s) => {
		s.resume();
		s.write('GET /metrics HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: Bearer ' + Math.random() + '\r\n\r\n');
	}),
	'half a handshake': (s) => s.write(hello),
	'pipelined, unread': secured((s) => { s.write(REQUEST.replace('/livez', '/page.js').repeat(500)); deaf(s); }),
};

const crowds = {
	'one address': () => '127.0.2.1',
	'many addresses': (i) => '127.0.2.' + (1 + i),
	'this machine': () => '127.0.0.1', // the address that the server has, as a local process would
};
const local = (from) => from === 'this machine';
const size = (from) => (local(from) ? 2 : 1) * strangers;

function stranger(port, mode, address) {
	const again = () => setTimeout(() => stranger(port, mode, address), 1);
	const s = net.connect({ port, host: '127.0.0.1', localAddress: address });
	s.on('connect', () => modes[mode](s));
	s.on('error', () => {});
	s.on('close', again);
	s.setTimeout(30000, () => s.destroy());
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
		this.backlogs = this.done = 0;
		this.berth = spawn(build + '/berth', ['run', '--kubeconfig', config, '--bind-address', '127.0.0.1', '--secure-port', String(this.port)],
			{ stdio: ['ignore', log, log] });
		for (let i = 0; i < 200; i++) {
			if ((await this.get('/readyz')).status === 200) return;
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
	async figures() { return (await this.get('/metrics', { agent: this.agent, headers: { Authorization: 'Bearer ' + TOKEN } })).text; }
	async counts() {
		const text = await this.figures();
		const of = (pattern) => { const m = pattern.exec(text); return m ? Number(m[1]) : 0; };
		return { bound: of(/^berth_bindings_total (\d+)/m), pending: of(/^scheduler_pending_pods\{queue="unschedulable"\} (\d+)/m),
			cpu: of(/^process_cpu_seconds_total ([0-9.e-]+)/m) };
	}
	async until(what, good) {
		for (const began = Date.now(); Date.now() - began < 60000; await pause(20)) {
			const c = await this.counts();
			if (good(c)) return c;
		}
		throw new Error(what + ': ' + JSON.stringify(await this.counts()));
	}
	// Pods that wait for nodes of their own, which are cordoned.
	async prepare() {
		const group = 'g' + this.backlogs++, all = [];
		for (let i = 0; i < GROUP; i++) all.push(this.tell('POST', '/api/v1/nodes', { apiVersion: 'v1', kind: 'Node',
			metadata: { name: group + '-' + i, labels: { group } }, spec: { unschedulable: true },
			status: { allocatable: { cpu: '256', memory: '1Ti', pods: '1000' }, capacity: { cpu: '256', memory: '1Ti', pods: '1000' } } }));
		await Promise.all(all);
		for (let i = 0; i < pods; i++) all.push(this.tell('POST', '/api/v1/namespaces/default/pods', { apiVersion: 'v1', kind: 'Pod',
			metadata: { name: group + '-' + i, namespace: 'default' }, spec: { nodeSelector: { group },
				containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '100m' } } }] } }));
		await Promise.all(all);
		await this.until('not all pods wait', (c) => c.pending === pods);
		await pause(1500); // until their backoff is over
		return group;
	}
	// Uncordons them: pods a second, and by second of berth's processor time.
	async work(group) {
		const before = await this.counts(), began = Date.now(), all = [];
		for (let i = 0; i < GROUP; i++) all.push(this.tell('PATCH', '/api/v1/nodes/' + group + '-' + i, { spec: { unschedulable: null } }));
		await Promise.all(all);
		this.done += pods;
		const after = await this.until('not all pods are bound', (c) => c.bound >= this.done);
		return { speed: pods * 1000 / (Date.now() - began), frugal: pods / (after.cpu - before.cpu) };
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

function crowd(bed, mode, addresses) {
	const child = spawn('nice', ['-n', '19', process.execPath, __filename, '--strangers', String(bed.port), mode, String(size(addresses)), addresses],
		{ stdio: 'inherit' });
	return () => new Promise((done) => {
		if (child.exitCode !== null) throw new Error('the strangers went by themselves');
		child.on('exit', done);
		child.kill();
	});
}

async function siege(mode, addresses) {
	const bed = new Bed();
	await bed.open();
	const quiet = [], besieged = [], probes = [], scrapes = [];
	for (let i = 0; i < rounds; i++) {
		for (const crowded of [false, true]) {
			const group = await bed.prepare(), leave = crowded ? crowd(bed, mode, addresses) : () => {};
			if (crowded) await pause(1500);
			const probe = visitor(bed, '/livez');
			const scrape = visitor(bed, '/metrics', { headers: { Authorization: 'Bearer ' + TOKEN }, localAddress: '127.0.3.1' });
			await pause(1500);
			(crowded ? besieged : quiet).push(await bed.work(group));
			await pause(crowded ? 1500 : 0);
			const [probed, scraped] = [await probe(), await scrape()];
			if (crowded) { probes.push(probed); scrapes.push(scraped); }
			await leave();
		}
	}
	await bed.close();
	const best = (list, what) => Math.max(...list.map((w) => w[what]));
	const all = (list) => ({ asked: list.reduce((n, v) => n + v.asked, 0), failed: list.reduce((n, v) => n + v.failed, 0),
		slowest: Math.max(...list.map((v) => v.slowest)) });
	return { probe: all(probes), scrape: all(scrapes), speed: best(besieged, 'speed'), percent: best(besieged, 'speed') * 100 / best(quiet, 'speed'),
		frugal: best(besieged, 'frugal') * 100 / best(quiet, 'frugal') };
}

async function main() {
	const wanted = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(modes);
	let passed = 0, failed = 0;
	console.log(`${'strangers'.padEnd(18)} ${'from'.padEnd(14)} ${'/livez, slowest'.padEnd(28)} ${'scrape, slowest'.padEnd(28)} bound    of quiet   CPU`);
	for (const mode of wanted) for (const from of Object.keys(crowds)) {
		const seen = await siege(mode, from);
		const good = [seen.probe, seen.scrape].every((v) => v.failed === 0 && v.slowest <= LIMIT_MS) && (local(from) || seen.percent >= SPEED_PERCENT);
		if (good) passed++; else failed++;
		const waited = (v) => `${v.asked} asked, ${v.failed} failed, ${v.slowest.toFixed(0)} ms`.padEnd(28);
		console.log(`${mode.padEnd(18)} ${from.padEnd(14)} ${waited(seen.probe)} ${waited(seen.scrape)} ${seen.speed.toFixed(0).padStart(6)}/s ${seen.percent.toFixed(0).padStart(5)} % ${seen.frugal.toFixed(0).padStart(5)} % ${good ? 'ok' : 'FAILED'}`);
	}
	console.log(`${passed} passed, ${failed} failed`);
	process.exit(failed ? 1 : 0);
}

if (process.argv[2] === '--strangers') {
	const [port, mode, count, addresses] = process.argv.slice(3);
	recordHello().then(() => { for (let i = 0; i < Number(count); i++) stranger(Number(port), mode, crowds[addresses](i)); });
} else {
	main().catch((e) => { console.error(e); process.exit(1); });
}
