// ---- one node: what is on it ----

let detail = null; // what berth says of the chosen node
let block = ''; // the chosen pod on it
let loss = null; // what would become of its pods without it

// Rectangles whose areas are as the weights: the list is halved again and again, along the longer side.
function halve(list, x, y, w, h, put) {
	if (list.length < 2) {
		if (list.length) put(list[0], x, y, w, h);
		return;
	}
	const all = list.reduce((sum, i) => sum + i.weight, 0);
	let at = 0, before = 0;
	while (at < list.length - 1 && (at === 0 || before + list[at].weight / 2 <= all / 2)) before += list[at++].weight;
	const part = before / all;
	if (w > h) {
		halve(list.slice(0, at), x, y, w * part, h, put);
		halve(list.slice(at), x + w * part, y, w * (1 - part), h, put);
	} else {
		halve(list.slice(0, at), x, y, w, h * part, put);
		halve(list.slice(at), x, y + h * part, w, h * (1 - part), put);
	}
}

const podKey = (p) => p.namespace + '/' + p.name;
const siblingsOf = (p) => p.namespace + '/' + ownerOf(p);

function blocksOf(n, pods) {
	const by = colour() === 'refusals' ? 'cpuMilli' : colour(), [used, all] = n[by] || [0, 0];
	const weigh = (p) => by === 'pods' ? 1 : p[by] || 0;
	const least = Math.max(all, used, 1) / 150; // what asks for nothing is to be seen, too
	const list = pods.map((p) => ({ pod: p, weight: Math.max(least, weigh(p)), words: by === 'pods' ? '' : by === 'memory' ? bytes(p.memory) : cores(p.cpuMilli) }))
		.sort((a, b) => b.weight - a.weight);
	const free = Math.max(0, all - used);
	if (free) list.push({ weight: Math.max(least, free), words: (by === 'memory' ? bytes(free) : by === 'pods' ? thousands(free) : cores(free)) + ' free' });
	return list;
}

function showBlocks(place, n, pods) {
	const chosen = pods.find((p) => podKey(p) === block), kin = chosen && siblingsOf(chosen), boxes = [];
	halve(blocksOf(n, pods), 0, 0, 150, 100, (item, x, y, w, h) => boxes.push({ ...item, box: [x / 1.5, y, w / 1.5, h], key: item.pod ? podKey(item.pod) : '' }));
	sync(place, boxes, (b) => b.key, (b) => {
		const e = b.pod ? button('', () => { block = block === b.key ? '' : b.key; setParam('p', block); showNode(); }) : make('span', '', 'free');
		e.append(make('b'), ' ', make('small'));
		return e;
	}, (e, b) => {
		['left', 'top', 'width', 'height'].forEach((side, i) => { e.style[side] = b.box[i] + '%'; });
		if (b.pod) {
			const p = b.pod;
			put(e.firstChild, p.name);
			e.title = b.key + (b.words ? ', ' + b.words : '');
			putClass(e, [b.key === block ? 'on' : kin && siblingsOf(p) === kin ? 'kin' : '', p.state !== 'bound' ? 'moving' : ''].join(' ').trim());
			e.setAttribute('aria-pressed', b.key === block);
		}
		put(e.lastChild, b.words);
		e.classList.toggle('tight', b.box[2] < 16 || b.box[3] < 9);
	});
}

function podFacts(pods) {
	const p = pods.find((o) => podKey(o) === block);
	if (!p) return [make('p', pods.length ? 'Choose a pod to see it and its siblings: pods of the same owner.' : 'No pods.', 'dim')];
	const kin = pods.filter((o) => siblingsOf(o) === siblingsOf(p)).length - 1;
	const facts = [['Owner', p.owner || 'none'], ['Requests', cores(p.cpuMilli) + ' CPU, ' + bytes(p.memory)], ['Priority', thousands(p.priority)],
		['State', p.state], ['Started', p.sinceMs ? time(Math.max(0, Math.round((Date.now() - p.sinceMs) / 1000))) + ' ago' : ''],
		['Siblings here', thousands(kin)]];
	return [make('h4', podKey(p)), make('p', [link('Why is it here?', addressOf('pending', podKey(p)))]), make('dl', facts.filter(([, v]) => v !== '').map(([k, v]) => make('div', [make('dt', k), make('dd', v)])), 'pairs')];
}

function pairs(n) {
	const list = [['CPU', n.cpuMilli, cores], ['Memory', n.memory, bytes], ['Pods', n.pods, thousands]];
	if (n.storage && n.storage[0]) list.push(['Ephemeral storage', n.storage, bytes]);
	return list.concat(Object.entries(n.more || {}).map(([name, pair]) => [name, pair, thousands]));
}

const faultWords = {
	NotReady: ['NotReady: its kubelet does not report. kubectl describe node ', 'bad'],
	cordoned: ['Cordoned: takes no new pods. kubectl uncordon ', 'warn'],
	closed: ['Closed for new pods: a pod on it could not be read. ', 'bad'],
	missing: ['The node does not exist, but pods are assigned to it. Delete them, or bring back ', 'bad'],
};

const chips = (list) => make('p', list.map((t) => make('span', t, 'chip')), 'chips');

// Parts that stay while the node does: what is looked at must not move or lose the focus.
function nodeParts(n) {
	const place = $('node-detail');
	if (place.parts && place.parts.name === n.name && place.parts.ghost === n.ghost) return place.parts;
	const p = { name: n.name, ghost: n.ghost, faults: make('div'), bars: make('ul', undefined, 'bars'), refusal: make('div'),
		blocks: make('div', undefined, 'blocks', { role: 'group', 'aria-label': 'Pods on ' + n.name }), facts: make('div', undefined, 'pod', { 'aria-live': 'polite' }),
		rest: make('div'), loss: make('div', undefined, 'loss', { 'aria-live': 'polite' }) };
	place.replaceChildren(make('div', [make('h3', n.name), link('Close', addressOf(view, '', params), 'close')], 'head'),
		make('p', n.ghost ? '' : n.zone ? 'in ' + n.zone : 'in no zone', 'dim'), p.faults, p.refusal, p.bars, p.blocks, p.facts, p.loss, p.rest);
	place.parts = p;
	return p;
}

function showNode() {
	const n = nodesByName.get(choice), place = $('node-detail');
	$('nodes').classList.toggle('chosen', !!choice);
	$('node-split').classList.toggle('split', !!choice);
	place.hidden = !choice;
	if (!choice) return;
	if (!n) {
		place.parts = null;
		place.replaceChildren(make('div', [make('h3', choice), link('Close', addressOf(view, '', params), 'close')], 'head'), make('p', nodesAt ? 'There is no node of this name.' : 'Reading the nodes …', nodesAt ? 'bad' : 'dim'));
		return;
	}
	const parts = nodeParts(n), no = refusals.get(n.name), about = detail && detail.name === n.name ? detail : {}, pods = about.pods || [];
	parts.faults.replaceChildren(...n.faults.map((f) => {
		const [words, how] = faultWords[f] || [f + ': kubectl describe node ', 'bad'];
		return make('p', words + (f === 'closed' ? '' : n.name), how);
	}));
	parts.refusal.replaceChildren(...(!refusalsOf || n.ghost ? [] : no ? [make('p', 'Not feasible for ' + refusalsOf + ': ' + reasons(no) + ' (' + no.plugin + ').', 'bad')] :
		[make('p', 'Feasible for ' + refusalsOf + '.', 'good')]));
	if (!n.ghost) showBars(parts.bars, pairs(n));
	parts.blocks.hidden = !about.pods || n.ghost;
	if (about.pods && !n.ghost) showBlocks(parts.blocks, n, pods);
	parts.facts.replaceChildren(...(about.pods ? podFacts(pods) : [make('p', 'Reading its pods …', 'dim')]));
	const labels = Object.entries(about.labels || {}).map(([k, v]) => k + (v ? '=' + v : ''));
	showLossOf(parts.loss, n);
	const key = JSON.stringify([n.taints, labels]);
	if (parts.key !== key) {
		parts.key = key;
		parts.rest.replaceChildren(...(n.taints.length ? [make('h4', 'Taints'), chips(n.taints)] : []), ...(labels.length ? [make('h4', 'Labels'), chips(labels)] : []));
	}
}

// Asked for with a button: it costs as much as scheduling its pods.
async function askLoss(name) {
	setParam('what', 'loss');
	loss = { node: name };
	showNode();
	try {
		loss = await explanation('berth/v1/nodes/' + encodeURIComponent(name) + '/loss');
		loss.atMs = Date.now();
	} catch (e) {
		loss = { node: name, fault: plain(e) };
	}
	showNode();
}

function lossParts(n) {
	const again = button(loss && loss.atMs ? 'Ask again' : 'What if it dies?', () => askLoss(n.name));
	if (!loss || loss.node !== n.name) return [make('p', [again])];
	if (loss.fault) return [make('p', loss.fault, 'bad'), make('p', [again])];
	if (!loss.atMs) return [make('p', 'Looking for other places …', 'dim')];
	const pods = (loss.pods || []).slice().sort((a, b) => !!a.to - !!b.to), stuck = pods.filter((p) => !p.to);
	const say = loss.changed ? 'The cluster changed meanwhile.' : !pods.length ? 'No pod needs another place.' : stuck.length ? count(stuck.length, 'pod') + ' of ' + pods.length + ' would find no other place.' : count(pods.length, 'pod') + ' would find another place.';
	const rows = pods.slice(0, ROWS).map((p) => make('li', [make('b', podKey(p)), ' ', p.to ? link('to ' + p.to, addressOf('nodes', p.to)) : make('span', brief(p.reason || 'no place'), 'bad'),
		p.budget && !p.allowed ? make('small', ' a drain waits for its budget ' + p.budget) : '']));
	return [make('h4', 'If it dies or is drained'), make('p', say, stuck.length ? 'bad' : 'good'), make('ul', rows), make('p', [make('small', 'at ' + clock(loss.atMs) + (loss.stays ? '; ' + count(loss.stays, 'pod') + ' of DaemonSets and the like stay' : '') + ' '), again])];
}

function showLossOf(place, n) {
	const key = JSON.stringify([n.name, loss]);
	place.hidden = !!n.ghost;
	if (place.key === key) return;
	place.key = key;
	place.replaceChildren(...lossParts(n));
}

async function loadNode() {
	// Another view may have been opened while the nodes were read: what is chosen there is no node.
	if (view !== 'nodes') return;
	if (!choice) { detail = null; return; }
	const name = choice;
	if (params.get('what') === 'loss' && (!loss || loss.node !== name)) askLoss(name);
	try {
		const o = await askJson('berth/v1/nodes/' + encodeURIComponent(name));
		if (name === choice) detail = o;
	} catch (e) {
		if (e.code !== 404) throw e;
	}
	block = params.get('p') || '';
	showNode();
}

// A node was chosen, or is not any more.
function openNode() {
	markTile();
	showNode();
	// On a narrow screen the details take the place of the tiles.
	if (choice && !$('node-tiles').checkVisibility()) scrollTo(0, 0);
	loadNode().catch((e) => say(plain(e), 'warn'));
}
