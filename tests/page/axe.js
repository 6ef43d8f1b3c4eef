// SPDX-License-Identifier: GPL-2.0-only
// axe-core, as npm has it: its rules for screen readers are run in the page. Kept in the cache of fetched things.
'use strict';

const { execFileSync } = require('node:child_process');
const crypto = require('node:crypto');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const VERSION = '4.10.3', SHA256 = '0f2b4d7dcdf7d1219df8d1959ad68e565f51d14c3f0d88bb71cd59abeb956292';
const cache = process.env.BERTH_CACHE || path.join(process.env.XDG_CACHE_HOME || path.join(os.homedir(), '.cache'), 'berth');

// The script, or why there is none.
function axe() {
	const file = path.join(cache, 'axe-core-' + VERSION + '.tgz');
	try {
		fs.mkdirSync(cache, { recursive: true });
		if (!fs.existsSync(file)) execFileSync('npm', ['pack', '--silent', '--pack-destination', cache, 'axe-core@' + VERSION], { timeout: 60000, stdio: 'pipe', cwd: os.tmpdir() });
	} catch (e) {
		return { missing: 'npm does not get axe-core: ' + String(e.message).split('\n')[0] };
	}
	if (crypto.createHash('sha256').update(fs.readFileSync(file)).digest('hex') !== SHA256) throw new Error(file + ' is not what it was: delete it');
	return { script: execFileSync('tar', ['-xzOf', file, 'package/axe.min.js'], { encoding: 'utf8', maxBuffer: 1 << 24 }) };
}

module.exports = { axe };
