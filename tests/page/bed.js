// SPDX-License-Identifier: GPL-2.0-only
// A cluster to look at: the bundled apiserver, and berth that schedules it.
'use strict';

const { spawn, execFileSync } = require('node:child_process');
const fs = require('node:fs');
const http = require('node:http');
const https = require('node:https');
const net = require('node:net');
const os = require('node:os');
const path = require('node:path');
const { line, pause } = require('./browser.js');

const build = process.env.BERTH_BUILD || 'build/x86_64';
const berth = process.env.BERTH || build + '/berth';

function freePort() {
	return new Promise((found) => {
		const server = net.createServer();
		server.listen(0, '127.0.0.1', () => {
			const { port } = server.address();
			server.close(() => found(port));
		});
	});
}

// Stands before a server: adds headers to what it is asked, changes what it says; resolves to its address.
function proxy(server, more, change) {
	const { request: ask } = server.startsWith('https') ? https : http;
	const door = http.createServer((request, answer) => {
		// A connection of its own: one that is kept may be closed while it is asked, and nobody would ask again.
		const options = { method: request.method, headers: { ...request.headers, ...more }, rejectUnauthorized: false, agent: false };
		const onward = ask(server + request.url, options, (said) => {
			delete said.headers['content-length'];
			answer.writeHead(said.statusCode, said.headers);
			said.on('data', (bytes) => answer.write(change ? change(String(bytes)) : bytes));
			said.on('end', () => answer.end());
		});
		onward.on('error', () => answer.destroy());
		answer.on('close', () => onward.destroy());
		request.pipe(onward);
	});
	return new Promise((found) => door.listen(0, '127.0.0.1', () => {
		door.unref();
		found('http://127.0.0.1:' + door.address().port);
	}));
}

function ended(child) {
	if (!child || child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
	return new Promise((done) => { child.on('exit', done); child.kill(); });
}

class Bed {
	// Flags of apisim, flags of berth, and what to change of the answers of apisim. A token is only shown over TLS.
	static async open(world, flags, change) {
		const bed = new Bed();
		bed.folder = fs.mkdtempSync(path.join(os.tmpdir(), 'berth-page-'));
		bed.flags = flags || [];
		if (!bed.flags.includes('--page-access')) bed.flags = ['--page-access', 'loopback', ...bed.flags];
		bed.port = await freePort();
		bed.url = 'https://127.0.0.1:' + bed.port + '/';
		const config = path.join(bed.folder, 'kubeconfig');
		bed.apisim = spawn(build + '/apisim',
			['--port', '0', ...(world.includes('--token') ? [] : ['--plain']), '--kubeconfig-out', config, ...world],
			{ stdio: ['ignore', 'pipe', 'pipe'] });
		bed.server = (await line(bed.apisim, /listening on (https?:\S+),/))[1];
		if (change) fs.writeFileSync(config, fs.readFileSync(config, 'utf8').replace(bed.server, await proxy(bed.server, {}, change)));
		await bed.start();
		return bed;
	}

	async start() {
		const log = fs.openSync(path.join(this.folder, 'berth.log'), 'a');
		this.berth = spawn(berth, ['run', '--kubeconfig', path.join(this.folder, 'kubeconfig'), '--bind-address', '127.0.0.1',
			'--secure-port', String(this.port), '--leader-elect-lease-duration', '3s', '--leader-elect-renew-deadline', '2s',
			'--leader-elect-retry-period', '500ms', ...this.flags], { stdio: ['ignore', log, log] });
		fs.closeSync(log);
		for (let i = 0; i < 100; i++) {
			if (this.berth.exitCode !== null) throw new Error('berth ended: ' + this.log());
			if (await this.listens()) return;
			await pause(50);
		}
		throw new Error('berth does not listen: ' + this.log());
	}
	stop() { return ended(this.berth); }
	log() { return fs.readFileSync(path.join(this.folder, 'berth.log'), 'utf8'); }
	listens() {
		return new Promise((answer) => {
			const s = net.connect(this.port, '127.0.0.1', () => { s.destroy(); answer(true); });
			s.on('error', () => answer(false));
		});
	}

	async close() {
		await ended(this.berth);
		await ended(this.apisim);
		fs.rmSync(this.folder, { recursive: true });
	}

	// To the apiserver.
	async tell(method, where, object) {
		const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
		const answer = await fetch(this.server + where, { method, body: object && JSON.stringify(object),
			headers: { 'Content-Type': type, Authorization: 'Bearer anybody' } });
		const said = await answer.json();
		if (!answer.ok) throw new Error(method + ' ' + where + ': ' + said.message);
		return said;
	}
	node(name, more) {
		const { cpu = '4', memory = '8Gi', pods = '110', taints, zone = 'a', unschedulable, ready = 'True', conditions = [] } = more || {};
		const resources = { cpu, memory, pods };
		return this.tell('POST', '/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name, labels: {
			'kubernetes.io/hostname': name, 'topology.kubernetes.io/zone': zone } },
		spec: { taints, unschedulable }, status: { allocatable: resources, capacity: resources, conditions: [{ type: 'Ready', status: ready }, ...conditions] } });
	}
	pod(name, more) {
		const { namespace = 'default', cpu = '100m', memory = '64Mi', spec, meta } = more || {};
		return this.tell('POST', '/api/v1/namespaces/' + namespace + '/pods', { apiVersion: 'v1', kind: 'Pod',
			metadata: { name, namespace, ...meta },
			spec: { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu, memory } } }], ...spec } });
	}

	run(...args) { return execFileSync(berth, args, { encoding: 'utf8' }); }
}

module.exports = { Bed, proxy };
