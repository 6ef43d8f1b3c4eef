// SPDX-License-Identifier: GPL-2.0-only
// Debian's chromium, driven by its chromedriver: WebDriver is JSON over HTTP, so nothing else has to be installed.
'use strict';

const { spawn } = require('node:child_process');

const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf';
const ARGUMENTS = ['--headless=new', '--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu', '--no-proxy-server',
	'--hide-scrollbars'];
const WAIT_MS = 15000;

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

// Line of a child's output that matches; rejects when it ends before.
function line(child, pattern) {
	return new Promise((found, failed) => {
		let heard = '';
		const hear = (bytes) => {
			heard += bytes;
			const match = pattern.exec(heard);
			if (match) found(match);
		};
		child.stdout.on('data', hear);
		if (child.stderr) child.stderr.on('data', hear);
		child.on('error', failed);
		child.on('exit', (code) => failed(new Error(child.spawnfile + ' ended with ' + code + ': ' + heard)));
	});
}

class Browser {
	static async open() {
		const b = new Browser();
		b.driver = spawn('chromedriver', ['--port=0'], { stdio: ['ignore', 'pipe', 'pipe'] });
		const port = (await line(b.driver, /started successfully on port (\d+)/))[1];
		b.base = 'http://127.0.0.1:' + port + '/session';
		const answer = await b.say('POST', '', { capabilities: { alwaysMatch: {
			browserName: 'chrome', acceptInsecureCerts: true, 'goog:chromeOptions': { args: ARGUMENTS },
			'goog:loggingPrefs': { browser: 'ALL' } } } });
		b.base += '/' + answer.sessionId;
		return b;
	}

	async close() {
		await this.say('DELETE', '').catch(() => {});
		this.driver.kill();
	}

	async say(method, path, body) {
		const answer = await fetch(this.base + path, { method, body: method === 'POST' ? JSON.stringify(body || {}) : undefined });
		const { value } = await answer.json();
		if (!answer.ok) throw new Error(value.error + ': ' + value.message.split('\n')[0]);
		return value;
	}

	go(url) { return this.say('POST', '/url', { url }); }
	again() { return this.say('POST', '/refresh'); }
	command(cmd, params) { return this.say('POST', '/goog/cdp/execute', { cmd, params: params || {} }); }

	// Runs a function in the page; it sees nothing of here but its arguments.
	run(f, ...args) {
		return this.say('POST', '/execute/async', { args,
			script: 'const a = [...arguments], done = a.pop(); Promise.resolve((' + f + ')(...a)).then(done, (e) => done("threw " + e));' });
	}

	// Until the function says something true, which it returns.
	async until(f, ...args) {
		const end = Date.now() + WAIT_MS;
		for (;;) {
			// While a page is being loaded, what is looked for is not there yet.
			const said = await this.run(f, ...args).catch((e) => { if (Date.now() > end) throw e; });
			if (said) return said;
			if (Date.now() > end) throw new Error('it did not come: ' + f + ' ' + JSON.stringify(args));
			await pause(100);
		}
	}

	async find(css) {
		return (await this.say('POST', '/element', { using: 'css selector', value: css }))[ELEMENT];
	}
	async click(css) { return this.say('POST', '/element/' + await this.find(css) + '/click'); }
	async write(css, text) {
		const element = '/element/' + await this.find(css);
		await this.say('POST', element + '/clear');
		return this.say('POST', element + '/value', { text });
	}
	// Key by key, to whatever has the focus.
	async press(...keys) {
		const codes = { Tab: '\uE004', Enter: '\uE007', Space: '\uE00D', Left: '\uE012', Up: '\uE013', Right: '\uE014', Down: '\uE015',
			Home: '\uE011', End: '\uE010', Escape: '\uE00C' };
		const actions = keys.flatMap((k) => [{ type: 'keyDown', value: codes[k] || k }, { type: 'keyUp', value: codes[k] || k }]);
		return this.say('POST', '/actions', { actions: [{ type: 'key', id: 'keys', actions }] });
	}

	size(width, height, phone) {
		return this.command('Emulation.setDeviceMetricsOverride',
			{ width, height, deviceScaleFactor: phone ? 2 : 1, mobile: !!phone });
	}
	scheme(name) {
		return this.command('Emulation.setEmulatedMedia',
			{ features: [{ name: 'prefers-color-scheme', value: name }, { name: 'prefers-reduced-motion', value: 'reduce' }] });
	}
	async picture(whole) {
		const answer = await this.command('Page.captureScreenshot', { format: 'png', captureBeyondViewport: !!whole });
		return Buffer.from(answer.data, 'base64');
	}
	// What the console said since it was asked last.
	async console() {
		return (await this.say('POST', '/se/log', { type: 'browser' })).map((e) => e.level + ' ' + e.message);
	}
}

module.exports = { Browser, line, pause };
