// ---- nodes: a map of colours ----

const LARGE = 150; // nodes: more are shown as small tiles
let nodes = [], nodesAt = 0; // and when they were read
let nodesByName = new Map();
let refusals = new Map(); // of the pod that was chosen: by node
let refusalsOf = '', refusalsFault = '';
const colourNames = { cpuMilli: 'CPU', memory: 'memory', pods: 'pods' };

const isAway = (n) => (n.conditions || []).includes('NotReady') || (n.taints || []).some((t) => /^node\.kubernetes\.io\/(not-ready|unreachable)\b/.test(t));
// What is said of a node that is not as it should be; the worst first.
function faultsOf(n) {
	if (n.ghost) return ['missing'];
	const more = (n.conditions || []).filter((c) => c !== 'NotReady');
	return [...(isAway(n) ? ['NotReady'] : []), ...more, ...(n.unschedulable ? ['cordoned'] : []), ...(n.unreadPods ? ['closed'] : [])];
}

async function readNodes() {
	const group = params.get('group') || '', byLabel = view === 'nodes' && group && group !== '-';
	nodes = await askJson('berth/v1/nodes' + (byLabel ? '?label=' + encodeURIComponent(group) : ''));
	nodesAt = Date.now();
	nodesByName = new Map(nodes.map((n) => [n.name, n]));
	for (const n of nodes) {
		n.taints = n.taints || [];
		n.faults = faultsOf(n);
		n.place = !byLabel ? group === '-' ? 'All nodes' : n.zone || 'no zone' : n.label === undefined ? 'without ' + group : group + '=' + n.label;
		n.words = [n.name, n.zone, n.label, ...n.taints, ...n.faults].join(' ').toLowerCase();
	}
}

const colour = () => params.get('colour') || 'cpuMilli';

// Steps of a colour: what is nearly full is a step of its own.
const STEPS = [0.15, 0.3, 0.45, 0.6, 0.8, 0.95];
const stepOf = (part) => STEPS.filter((s) => part > s).length;

let plugins = []; // those that refuse, the most first; each has a colour
function toneOf(n) {
	if (n.ghost) return '';
	if (colour() !== 'refusals') return 'q' + stepOf(share(n[colour()]));
	const no = refusals.get(n.name);
	return !refusalsOf ? 'q0' : no ? 'r' + Math.min(4, plugins.indexOf(no.plugin)) : 'takes';
}

function wordsOf(n) {
	const no = colour() === 'refusals' && refusals.get(n.name);
	return [...n.faults, ...(no ? [reasons(no)] : [])].join(', ');
}
function valueOf(n) {
	if (n.ghost) return '–';
	if (colour() === 'refusals') return !refusalsOf ? '' : refusals.has(n.name) ? 'refuses' : 'feasible';
	return Math.round(share(n[colour()]) * 100) + ' %';
}

function makeTile(n) {
	const a = make('a', undefined, 'tile', { href: addressOf('nodes', n.name), tabindex: -1, 'data-item': n.name });
	if ($('node-tiles').classList.contains('few')) a.append(make('b', n.name), ' ', make('span'), ' ', make('em'));
	return a;
}

function updateTile(a, n) {
	const value = valueOf(n), words = wordsOf(n), name = 'tile ' + toneOf(n) + (isAway(n) ? ' away' : '') + (n.unschedulable || n.ghost ? ' off' : '');
	if (a.said === name + value + words) return;
	a.said = name + value + words;
	const on = a.classList.contains('on');
	a.className = name + (on ? ' on' : '');
	a.title = n.name + (words ? ': ' + words : '');
	if (a.firstChild) {
		put(a.querySelector('span'), value);
		put(a.lastChild, words);
	} else {
		a.setAttribute('aria-label', n.name + ' ' + value + ' ' + words);
	}
}

function legendOf(shown) {
	if (colour() !== 'refusals')
		return [...STEPS, 1].map((s, i) => ['q' + i, i < STEPS.length ? (i ? '' : 'to ') + s * 100 + ' %' : 'over 95 %']);
	if (!refusalsOf) return [];
	const numbers = new Map();
	let takes = 0;
	for (const n of shown) {
		const no = refusals.get(n.name);
		if (no) numbers.set(no.plugin, (numbers.get(no.plugin) || 0) + 1);
		else if (!n.ghost) takes++;
	}
	return [['takes', 'feasible: ' + thousands(takes)], ...plugins.filter((p) => numbers.has(p)).map((p) => ['r' + Math.min(4, plugins.indexOf(p)), p + ': ' + thousands(numbers.get(p))])];
}

const nodeOrders = {
	fullest: (a, b) => fullness(b) - fullness(a),
	emptiest: (a, b) => fullness(a) - fullness(b),
};
const fullness = (n) => colour() === 'refusals' ? Number(refusals.has(n.name)) : n.ghost ? 0 : share(n[colour()]);
const byName = new Intl.Collator('en', { numeric: true }).compare;

function showLegend(shown) {
	const away = shown.filter(isAway).length, off = shown.filter((n) => n.unschedulable).length;
	put($('node-count'), (shown.length === nodes.length ? count(nodes.length, 'node') : thousands(shown.length) + ' of ' + count(nodes.length, 'node')) +
		(refusalsOf && colour() === 'refusals' ? ', ' + thousands(shown.filter((n) => refusals.has(n.name)).length) + ' refuse ' + refusalsOf : ''));
	if (refusalsFault) put($('node-count'), refusalsFault);
	sync($('node-legend'), [...legendOf(shown), ...(away ? [['q0 away', 'NotReady: ' + thousands(away)]] : []), ...(off ? [['q0 off', 'cordoned: ' + thousands(off)]] : [])],
		([name, words]) => name + words, ([name, words]) => make('li', [make('i', undefined, 'tile ' + name), words]), () => {});
}

function showNodes() {
	const words = (params.get('q') || '').toLowerCase(), order = nodeOrders[params.get('order')];
	const shown = nodes.filter((n) => n.words.includes(words)), places = new Map();
	shown.sort((a, b) => (order ? order(a, b) : 0) || byName(a.name, b.name));
	for (const n of shown) {
		if (!places.has(n.place)) places.set(n.place, []);
		places.get(n.place).push(n);
	}
	const few = shown.length <= LARGE, place = $('node-tiles');
	if (place.classList.contains('few') !== few) {
		place.replaceChildren();
		place.classList.toggle('few', few);
	}
	showLegend(shown);
	sync(place, [...places].sort((a, b) => byName(a[0], b[0])), ([name]) => name, ([name]) => make('div', [make('h3'),
		make('div', undefined, few ? 'zone large' : 'zone', { role: 'group', 'aria-label': name })]), (e, [name, list]) => {
		put(e.firstChild, name + ', ' + count(list.length, 'node'));
		sync(e.lastChild, list, (n) => n.name, makeTile, updateTile);
	});
	if (!shown.length)
		place.replaceChildren(make('p', nodes.length ? 'No node has "' + params.get('q') + '" in its name, zone, taints or conditions.' : 'The cluster has no nodes yet.', 'empty'));
	markTile();
	showNode();
	if (shown.length && !performance.getEntriesByName('map').length) performance.mark('map'); // how long it took to be there
}

// The chosen tile, or the first one, is where the keys come in.
function markTile() {
	const place = $('node-tiles'), tiles = place.querySelectorAll('.tile');
	for (const t of place.querySelectorAll('.tile[tabindex="0"],.tile.on')) {
		t.tabIndex = -1;
		t.classList.remove('on');
		t.removeAttribute('aria-current');
	}
	const chosen = choice && [...tiles].find((t) => t.key === choice);
	if (chosen) {
		chosen.classList.add('on');
		chosen.setAttribute('aria-current', true);
	}
	if (chosen || tiles[0]) (chosen || tiles[0]).tabIndex = 0;
}

// Which pods can be asked about, and which labels there are.
async function loadNodeChoices() {
	const pods = $('node-pod'), names = (await askJson('berth/v1/pods?limit=200')).filter((p) => p.scheduler === undefined).map((p) => p.namespace + '/' + p.name);
	const asked = params.get('pod');
	if (asked && !names.includes(asked)) names.unshift(asked);
	sync(pods, ['', ...names], (n) => n, (n) => make('option', n || 'choose a pod', '', { value: n }), () => {});
	if (pods.value !== (asked || '')) pods.value = asked || '';
	if ($('node-group').options.length > 3) return;
	const keys = new Set();
	for (const n of await askJson('berth/v1/nodes?limit=20&label=*')) for (const key of Object.keys(n.labels || {})) keys.add(key);
	keys.delete('kubernetes.io/hostname'); // one each
	for (const key of [...keys].sort()) if (![...$('node-group').options].some((o) => o.value === key)) $('node-group').append(make('option', key, '', { value: key }));
	showParam('node-group', 'group');
}

async function askRefusals() {
	const pod = colour() === 'refusals' ? params.get('pod') || '' : '';
	refusals = new Map();
	refusalsOf = '';
	refusalsFault = '';
	try {
		if (pod) refusals = new Map(Object.entries((await explanation('berth/v1/explain?pod=' + encodeURIComponent(pod))).rejected || {}));
		refusalsOf = pod;
	} catch (e) {
		refusalsFault = pod + ': ' + plain(e); // it has a node, or is gone: the map stays
	}
	const numbers = new Map();
	for (const r of refusals.values()) numbers.set(r.plugin, (numbers.get(r.plugin) || 0) + 1);
	plugins = [...numbers.keys()].sort((a, b) => numbers.get(b) - numbers.get(a));
}

async function loadNodes() {
	$('node-pod-label').hidden = colour() !== 'refusals';
	await readNodes();
	await loadNodeChoices();
	await askRefusals();
	showNodes();
}

// Arrow keys go from tile to tile, up and down by as many as there are in a line.
function moveInTiles(event) {
	const tiles = [...$('node-tiles').querySelectorAll('.tile')], at = tiles.indexOf(event.target);
	const line = at < 0 ? 0 : [...event.target.parentNode.children].filter((t) => t.offsetTop === event.target.offsetTop).length;
	const to = { ArrowLeft: at - 1, ArrowRight: at + 1, ArrowUp: at - line, ArrowDown: at + line, Home: 0, End: tiles.length - 1 }[event.key];
	if (at < 0 || !tiles[to]) return;
	event.preventDefault();
	event.target.tabIndex = -1;
	tiles[to].tabIndex = 0;
	tiles[to].focus();
}
