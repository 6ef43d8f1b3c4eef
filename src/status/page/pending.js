// ---- pending pods: one row for what waits for the same ----

let groups = []; // of pods with one owner and one cause
let podsAll = true; // the list has all of them
const MOST_PODS = 500;

// What comes before the parts that a controller makes up for each pod; a ReplicaSet's own, too.
function ownerOf(p) {
	const [kind, name] = (p.owner || '').split('/'), made = '[bcdfghjklmnpqrstvwxz2456789]';
	if (name) return kind === 'ReplicaSet' ? name.replace(new RegExp('-' + made + '{6,10}$'), '') : name;
	return p.name.replace(new RegExp('(-' + made + '{6,10})?-' + made + '{5}$|-\\d+$'), '');
}

// What would help, as far as the message of the pod says; more is in its explanation.
function hintOf(p) {
	if (p.scheduler !== undefined) return 'Correct spec.schedulerName, or start the scheduler of that name.';
	if (p.state === 'gated') return 'Whoever added the gates has to remove them.';
	if (p.state === 'no memory') return 'Give berth a larger --memory.';
	const missing = /(\S+) "([^" ]+)" not found/.exec(p.reason), lacks = ['cpu', 'memory'].filter((name) => (p.reason || '').includes('Insufficient ' + name));
	if (missing) return 'Create the ' + missing[1] + ' ' + missing[2] + '.';
	if (lacks.length) return lacks.map((name) => amount(name, name === 'cpu' ? p.cpuMilli : p.memory) + ' of ' + name).join(' and ') + ' free on one node, or smaller requests.';
	return (p.help && p.help.length ? p.help : (p.plugins || []).map((name) => helps[name]).filter(Boolean)).slice(0, 2).join(' ');
}

function whyOf(p) {
	if (p.scheduler !== undefined) return 'spec.schedulerName is "' + p.scheduler + '": no profile of this scheduler has that name';
	if (p.reason) return brief(p.reason);
	if (p.plugins && p.plugins.length) return 'rejected by ' + p.plugins.join(', ');
	if (p.state === 'active') return 'its turn comes now';
	return p.state === 'binding' ? 'being bound' : p.attempts ? 'tried again soon' : 'not tried yet';
}

// A group is { key, owner, state, why, help, count, first: a pod, sinceS, p: one of them, pods: all that are known }
function groupOf(p, state, n) {
	p.state = state;
	p.why = whyOf(p);
	p.key = p.name && p.namespace + '/' + p.name;
	const owner = n > 1 ? p.namespace + '/' + ownerOf(p) : p.key;
	return { key: (owner || p.why) + '\n' + p.why, owner: owner || 'others', state, why: p.why, help: hintOf(p), count: n, first: p.key, sinceS: p.sinceS || 0, p, pods: [p] };
}

function groupPods(pods) {
	const found = new Map();
	for (const p of pods) {
		const g = groupOf(p, p.state, 1), key = p.namespace + '/' + ownerOf(p) + '\n' + p.why, other = found.get(key);
		if (!other) found.set(key, g);
		else {
			if (other.count++ === 1) Object.assign(other, { key, owner: key.split('\n')[0] });
			other.sinceS = Math.max(g.sinceS, other.sinceS);
			other.pods.push(p);
		}
	}
	return [...found.values()];
}

// Groups that berth makes: all pods are in them, of each one pod.
async function readGroups() {
	groups = (await askJson('berth/v1/pending')).map((g) => {
		const state = Object.entries(g.states).sort((a, b) => b[1] - a[1])[0][0];
		return groupOf(g.pod ? { ...g, name: g.pod } : g, state, g.count);
	});
	podsAll = true;
}

async function readPods(filter) {
	if (!filter && last && last.cluster.pending > MOST_PODS) return readGroups();
	const pods = await askJson('berth/v1/pods?limit=' + MOST_PODS + '&q=' + encodeURIComponent(filter));
	podsAll = pods.length < MOST_PODS;
	groups = groupPods(pods);
}

// The pods of a group that berth made.
async function openGroup(g) {
	if (opened.delete(g.key)) return;
	opened.add(g.key);
	if (g.pods.length < g.count) members.set(g.key, groupPods(await askJson('berth/v1/pods?limit=' + ROWS + '&q=' + encodeURIComponent(ownerOf(g.p))))
		.filter((other) => other.owner === g.owner).flatMap((other) => other.pods));
}

const members = new Map(); // of opened groups
const opened = new Set(); // groups whose pods are shown

const podOrders = {
	'': (a, b) => b.count - a.count || b.sinceS - a.sinceS,
	oldest: (a, b) => b.sinceS - a.sinceS,
	priority: (a, b) => (b.p.priority || 0) - (a.p.priority || 0),
	name: (a, b) => a.owner < b.owner ? -1 : 1,
};

// Groups, and below an opened one its pods.
function podRows() {
	const list = [];
	for (const g of [...groups].sort((a, b) => podOrders[params.get('order') || ''](a, b) || (a.key < b.key ? -1 : 1))) {
		list.push({ key: g.key, group: g, p: g.p });
		if (g.count > 1 && opened.has(g.key)) for (const p of (members.get(g.key) || g.pods).slice(0, ROWS)) list.push({ key: g.key + p.key, p });
	}
	return list;
}

function makePodRow(item) {
	const tr = row(['Pods', 'State', 'Why', 'What would help', 'Requests', 'Priority', 'Since', 'Next try']), many = item.group && item.group.count > 1;
	const name = tr.children[0];
	name.className = 'name' + (item.group ? '' : ' of');
	if (many) {
		const b = button('', () => openGroup(tr.group).catch(() => {}).then(showPods));
		b.className = 'more';
		name.append(b, ' ');
	}
	name.append(link('', ''));
	tr.children[2].className = tr.children[3].className = 'why';
	return tr;
}

function updatePodRow(tr, { key, group, p }) {
	tr.group = group;
	const name = tr.children[0], a = name.lastChild, many = group && group.count > 1, href = p.key ? addressOf('pending', p.key, params) : '#pending';
	if (many) {
		put(name.firstChild, thousands(group.count));
		name.firstChild.setAttribute('aria-expanded', opened.has(key));
		name.firstChild.setAttribute('aria-label', thousands(group.count) + ' pods of ' + group.owner + ': show each');
	}
	if (a.getAttribute('href') !== href) a.href = href;
	a.setAttribute('data-item', p.key || '');
	put(a, many ? group.owner : p.key || group.owner);
	tr.classList.toggle('on', choice === p.key || (many && !opened.has(key) && group.pods.some((o) => o.key === choice)));
	const next = p.nextTryS === undefined || p.state === 'binding' ? '' : (p.nextTryS < 0 ? 'when the cluster changes' : p.nextTryS === 0 ? 'now' : 'in ' + time(p.nextTryS)) + (p.attempts > 1 ? ', after ' + count(p.attempts, 'attempt') : '');
	const wants = [p.cpuMilli ? cores(p.cpuMilli) + ' CPU' : '', p.memory ? bytes(p.memory) : ''].filter(Boolean).join(', ');
	[p.state, group ? group.why : '', group ? group.help : '', wants, p.priority || '', p.sinceS === undefined ? '' : time(group ? group.sinceS : p.sinceS), next]
		.forEach((w, i) => put(tr.children[i + 1], w));
	if (p.reason && tr.children[2].title !== p.reason) tr.children[2].title = p.reason;
}

function showPods() {
	const n = groups.reduce((sum, g) => sum + g.count, 0), filter = params.get('q');
	put($('pod-count'), !podsAll ? 'the first ' + MOST_PODS : n ? count(n, 'pod') + ', ' + count(groups.length, 'cause') : '');
	sync($('pods'), podRows(), (item) => item.key, makePodRow, updatePodRow);
	$('pod-split').hidden = !groups.length && !choice;
	$('no-pods').hidden = groups.length > 0 || !!choice;
	put($('no-pods'), filter ? 'No pending pod has "' + filter + '" in its namespace or name.' : 'No pod waits: each has its node.');
}

let explained = ''; // the pod

async function showPod() {
	const open = view === 'pending' && choice;
	$('pending').classList.toggle('chosen', !!open);
	$('pod-split').classList.toggle('split-view', !!open);
	$('why').hidden = !open;
	if (!open) { explained = ''; return; }
	if (explained === choice) return;
	explained = choice;
	$('why').replaceChildren(make('p', 'Asking about ' + choice + ' …', 'dim'));
	await showExplanation($('why'), choice, 'berth/v1/explain?pod=' + encodeURIComponent(choice), undefined, true);
}

async function loadPods() {
	await readPods(params.get('q') || '');
	showPods();
}
