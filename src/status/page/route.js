// ---- addresses: #view/what/is/chosen?filter=...&order=... ----

const VIEWS = ['overview', 'nodes', 'pending', 'history', 'whatif', 'internals'];
let view = '', choice = '', params = new URLSearchParams();
let seen = ''; // the address that is shown

const encodePath = (path) => path.split('/').map(encodeURIComponent).join('/');
function decodePath(path) {
	try { return path.split('/').map(decodeURIComponent).join('/'); } catch (e) { return ''; }
}

function addressOf(name, chosen, more) {
	const query = String(new URLSearchParams(more || {}));
	return '#' + name + (chosen ? '/' + encodePath(chosen) : '') + (query ? '?' + query : '');
}

function readAddress() {
	const [path, query] = location.hash.slice(1).split('?'), slash = path.indexOf('/');
	const name = slash < 0 ? path : path.slice(0, slash);
	view = VIEWS.includes(name) ? name : 'overview';
	choice = view === name && slash > 0 ? decodePath(path.slice(slash + 1)) : '';
	params = new URLSearchParams(view === name ? query : '');
}

// The tabs lead back to what was seen there last.
function keepAddress() {
	seen = location.hash;
	for (const a of document.querySelectorAll('nav a')) {
		const here = a.hash.slice(1).split(/[/?]/)[0] === view;
		if (here) a.href = addressOf(view, choice, params);
		if (here) a.setAttribute('aria-current', 'page');
		else a.removeAttribute('aria-current');
	}
}

// A filter or an order changes the address without a step in the browser's history.
function setParam(name, value) {
	if (value) params.set(name, value);
	else params.delete(name);
	history.replaceState(null, '', addressOf(view, choice, params));
	keepAddress();
}

// Shown at once: the next key may come before the browser says that the address changed.
function go(address) {
	location.hash = address;
	show();
}

function setChoice(chosen) {
	go(addressOf(view, chosen, params));
}

// A control that stands for a parameter: filter, select. What was typed just before its view was left is no word of the next one.
function bindParam(id, name, act) {
	const e = $(id), change = () => { if ($(view).contains(e)) { setParam(name, e.value.trim()); act(); } };
	if (e.tagName === 'INPUT') e.oninput = later(change);
	else e.onchange = change;
}
function showParam(id, name) {
	const e = $(id), value = params.get(name) || '';
	if (e.tagName === 'SELECT' && ![...e.options].some((o) => o.value === value)) e.append(make('option', value, '', { value }));
	if (e !== document.activeElement || e.tagName === 'SELECT') e.value = value;
}

// ---- keys ----

// The next or previous thing that can be opened.
function step(by) {
	const items = [...$(view).querySelectorAll('[data-item]')].filter((e) => e.checkVisibility());
	const at = items.indexOf(document.activeElement);
	const to = items[at < 0 ? (by > 0 ? 0 : items.length - 1) : Math.min(items.length - 1, Math.max(0, at + by))];
	if (to) to.focus();
}

function leave() {
	if (!choice) return;
	const was = choice;
	setChoice('');
	const e = [...$(view).querySelectorAll('[data-item]')].find((item) => item.getAttribute('data-item') === was);
	if (e) e.focus();
}

function onKey(event) {
	const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName) && event.target.type !== 'checkbox';
	if (event.ctrlKey || event.metaKey || event.altKey || $('help').open) return;
	if (event.key === 'Escape') {
		if (typing) event.target.blur();
		else leave();
		return;
	}
	if (typing || localStorage.getItem('keys') === 'off' || !$('login').hidden) return;
	const filter = $(view).querySelector('input[type=search]'), name = VIEWS[event.key - 1];
	if (name) go(document.querySelectorAll('nav a')[event.key - 1].hash);
	else if (event.key === '/' && filter) filter.focus();
	else if (event.key === '?') $('help').showModal();
	else if (event.key === 'j') step(1);
	else if (event.key === 'k') step(-1);
	else return;
	event.preventDefault();
}
