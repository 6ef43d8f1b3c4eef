// ---- overview: how it is, what there is, what is wrong ----

let last = null; // what berth said of itself
let heardAt = 0; // when

// The one word that everybody reads. Green only while pods are being scheduled.
function stateOf(o) {
	const l = o.lease, c = o.cluster, d = o.decisions, s = c.nodeStates;
	if (!o.connection.open) return ['The apiserver is not reached', 'bad'];
	if (o.state === 'not-leading') return l && l.holder ? ['Standby: ' + l.holder + ' schedules', 'idle'] : ['Waiting for the lease', 'warn'];
	if (o.state === 'yielding') return ['Standby: another scheduler is at work', 'warn'];
	if (o.state === 'not-synced') return ['Reading the cluster', 'warn'];
	if (o.state === 'stale') return ['Paused: the watch is silent', 'bad'];
	if (o.state === 'incomplete') return ['Paused: some objects could not be read', 'bad'];
	if (o.state === 'stopping') return ['Stopping', 'warn'];
	if (o.state !== 'ready') return [o.state, 'bad'];
	if (d.boundByOthers && d.othersSecondsAgo < 300) return ['Another scheduler binds the same pods', 'bad'];
	if (!c.nodes) return ['No nodes to schedule to', 'warn'];
	if (s && !s.ready.count) return ['No node takes pods', 'bad'];
	return ['Scheduling', 'good'];
}

function say(text, how) {
	put($('state'), text);
	putClass($('state'), how);
	document.body.classList.toggle('stale', how === 'bad' && last !== null && Date.now() - heardAt > 2500);
}

// What is wrong, worst first: how bad, what, what to do, where it can be seen.
function wrongWithBerth(o) {
	const c = o.cluster, d = o.decisions, n = o.connection, list = [];
	const add = (rank, what, todo, href) => list.push({ rank, what, todo, href });
	if (!n.open)
		add(0, 'The apiserver is not reached', (n.error ? n.error + '. ' : '') + 'berth tries again by itself; see that the apiserver runs and the network is up.', '#internals');
	if (o.notice) add(1, o.notice, 'It is read when this machine starts.');
	if (o.state === 'stale') add(0, 'Scheduling is paused: the watch is silent', 'What is known of the cluster may be out of date. See that the apiserver answers.', '#internals');
	if (o.state === 'incomplete') add(0, 'Scheduling is paused: some pods or nodes could not be read', 'The log of berth names them.', '#internals');
	if (d.boundByOthers && d.othersSecondsAgo < 300)
		add(0, 'Another scheduler binds the same pods: ' + thousands(d.boundByOthers) + ', the last ' + time(Math.max(0, d.othersSecondsAgo)) + ' ago',
			'Stop one of the two: k3s server --disable-scheduler, or systemctl disable --now berth.');
	if (o.state === 'yielding') add(1, 'berth stands by, because another scheduler is at work', 'Stop the other one, or berth.');
	if (o.state === 'not-leading' && o.lease && !o.lease.holder) add(1, 'berth waits for the lease', 'Nothing is scheduled meanwhile. See that the apiserver answers, and lets berth write leases in kube-system.', '#internals');
	if (n.error && n.open) add(1, n.error, 'berth tries again by itself.', '#internals');
	if (o.memory.refused) add(1, 'Memory is full: refused ' + count(o.memory.refused, 'time'), 'Give berth a larger --memory. Internals shows which pool is full.', '#internals');
	if (c.nodesMissing) add(1, 'Some nodes could not be read', 'The log of berth names them. Pods are not scheduled to them.', '#nodes');
	if (d.errors) add(3, count(d.errors, 'attempt') + ' ended with an error', 'They are tried again; History shows the messages.', '#history?show=error');
	if (o.events.dropped) add(4, count(o.events.dropped, 'event') + ' dropped', 'More came at once than the apiserver takes: kubectl describe may lack some. History has the decisions.', '#internals');
	return list;
}

function wrongWithNodes(o) {
	const s = o.cluster.nodeStates, list = [];
	const add = (state, rank, what, todo) => {
		const { count: n, first } = s[state];
		if (n) list.push({ rank, what: count(n, 'node') + ' ' + what + ': ' + some(first, 4, n), todo: todo(some(first.slice(0, 1), 1)), href: '#nodes?q=' + encodeURIComponent(state === 'missing' ? 'missing' : state === 'cordoned' ? 'cordoned' : 'NotReady') });
	};
	if (!s) return list;
	add('notReady', 1, s.notReady.count === 1 ? 'is NotReady' : 'are NotReady', (n) => 'The kubelet does not report; pods there may be dead. kubectl describe node ' + n);
	add('missing', 2, s.missing.count === 1 ? 'does not exist, but has pods' : 'do not exist, but have pods', () => 'Delete the pods, or bring the node back.');
	add('cordoned', 5, s.cordoned.count === 1 ? 'is cordoned' : 'are cordoned', (n) => 'No new pods go there until kubectl uncordon ' + n);
	return list;
}

function wrongWithPods() {
	const list = [], waiting = groups.filter((g) => g.state === 'unschedulable' || g.state === 'backoff'), n = waiting.reduce((sum, g) => sum + g.count, 0);
	for (const g of groups)
		if (g.p.scheduler !== undefined) list.push({ rank: 2, what: 'Not scheduled by berth: ' + (g.count > 1 ? count(g.count, 'pod') + ' of ' : '') + g.owner, todo: g.why + '. ' + g.help, href: addressOf('pending', g.first) });
		else if (g.state === 'no memory' || g.state === 'unreadable') list.push({ rank: 1, what: count(g.count, 'pod') + (g.state === 'unreadable' ? ' could not be read' : ' wait for memory of berth'), todo: g.why + '. ' + g.help, href: '#pending' });
	if (n) list.push({ rank: 3, what: count(n, 'pod') + (n === 1 ? ' fits' : ' fit') + ' no node: ' + some(waiting.map((g) => (g.count > 1 ? thousands(g.count) + ' of ' : '') + g.owner), 3),
		todo: 'Below is why, and what would help.', href: '#pending' });
	return list;
}

function showWrong(o) {
	const list = [...wrongWithBerth(o), ...wrongWithNodes(o), ...wrongWithPods()].sort((a, b) => a.rank - b.rank), most = 8;
	const seen = {};
	for (const w of list) { // what stays the same problem keeps its place, whatever its numbers
		w.key = w.what.replace(/\d+/g, '');
		w.key += seen[w.key] = (seen[w.key] || 0) + 1;
	}
	const how = (rank) => rank < 3 ? 'bad' : rank < 5 ? 'warn' : 'idle';
	sync($('wrong'), list.slice(0, most), (w) => w.key, () => make('li', [make('div'), make('p', '', 'dim')]), (e, w) => {
		putClass(e, how(w.rank));
		let head = e.firstChild.firstChild;
		if (!head) e.firstChild.append(head = w.href ? link('', w.href) : make('b'));
		if (w.href) { head.href = w.href; head.setAttribute('data-item', w.href); }
		put(head, w.what);
		put(e.lastChild, w.todo || '');
	});
	put($('wrong-title'), list.length > most ? 'What is wrong now: the worst ' + most + ' of ' + list.length : 'What is wrong now');
	$('fine').hidden = list.length > 0;
	put($('fine'), stateOf(o)[1] === 'good' ? 'Nothing. Every pod that waits for a node gets one.' : 'Nothing that berth can see.');
}

function showCapacity(o) {
	const c = o.cluster.capacity, s = o.cluster.nodeStates;
	if (!c) return;
	showBars($('capacity'), [['CPU', c.cpuMilli, cores], ['Memory', c.memory, bytes], ['Pods', c.pods, thousands]]);
	const parts = [['ready', 'Ready', 'good'], ['cordoned', 'cordoned', 'warn'], ['notReady', 'NotReady', 'bad'], ['missing', 'missing', 'idle']];
	const all = parts.reduce((sum, [key]) => sum + s[key].count, 0) || 1;
	sync($('node-bar'), parts.filter(([key]) => s[key].count), (p) => p[0], (p) => make('i', undefined, p[2]), (e, [key]) => e.style.setProperty('--w', s[key].count / all));
	sync($('node-states'), parts.filter(([key]) => key === 'ready' || s[key].count), (p) => p[0],
		([key, name, how]) => make('li', [make('b', '', how), ' ', link(name, '#nodes' + (key === 'ready' ? '' : '?q=' + name))]),
		(e, [key]) => put(e.firstChild, thousands(s[key].count)));
}

// "Survives the loss of any one of 38 of 40 nodes", the worst named.
function showLoss(o) {
	const l = o.loss;
	$('loss').hidden = !l || !l.nodes;
	if (!l) return;
	const bad = l.known - l.survives;
	put($('loss-head'), l.known < l.nodes && !bad ? 'Survives the loss of any one of ' + thousands(l.survives) + ' nodes so far' : 'Survives the loss of any one of ' + thousands(l.survives) + ' of ' + count(l.known, 'node'));
	putClass($('loss-head'), bad ? 'warn' : '');
	const parts = l.first.map((n) => link(n, addressOf('nodes', n, { what: 'loss' }))).flatMap((a, i) => i ? [', ', a] : [a]), more = bad - l.first.length;
	const words = JSON.stringify([l.first, more, l.known < l.nodes]);
	if ($('loss-more').key === words) return;
	$('loss-more').key = words;
	$('loss-more').replaceChildren(...(bad ? ['Pods of ', ...parts, more > 0 ? ' and ' + thousands(more) + ' more' : '', ' would find no other place.'] :
		['All their pods would find another place.']), l.known < l.nodes ? ' ' + count(l.nodes - l.known, 'node') + ' not looked at yet.' : '');
}

function showInternals(o) {
	const l = o.lease, n = o.connection, d = o.decisions, m = o.memory;
	showFigures('facts', [
		['Cluster', count(o.cluster.nodes, 'node'), count(o.cluster.pods, 'pod')],
		['Lease', l ? l.state : 'not used', l ? (l.leading ? 'as ' : l.holder ? 'held by ' : 'held by none') + l.holder : 'leader election is off'],
		['apiserver', !n.open ? 'not reached' : n.synced < n.watches ? 'reading' : 'connected', n.error ||
			n.synced + ' of ' + n.watches + ' watches, ' + count(n.open, 'connection'), !n.open ? 'bad' : n.synced < n.watches ? 'warn' : ''],
		['Attempts without a node', d.unschedulable, count(d.errors, 'error'), d.errors ? 'bad' : ''],
		['Events', o.events.sent, o.events.dropped ? thousands(o.events.dropped) + ' dropped: too many' : 'none dropped', o.events.dropped ? 'warn' : ''],
		['Memory', bytes(m.resident), m.refused ? 'full pools refused ' + count(m.refused, 'time') :
			m.fullestUsed < m.fullestCapacity ? 'no pool was ever full' : m.fullest + ': was full', m.refused ? 'bad' : ''],
		['Longest turn', micro(d.turnUsMax), 'of the loop, since it started'],
	]);
}

function showOverview(o) {
	const q = o.queue, d = o.decisions;
	heardAt = Date.now();
	say(...stateOf(o));
	put($('waiting'), o.cluster.pending ? thousands(o.cluster.pending) : ''); // those of other schedulers, too: the list has them
	showFigures('queue', [
		['Active', q.active, 'pods ready to be scheduled'],
		['Backing off', q.backoff, 'tried again in seconds'],
		['Unschedulable', q.unschedulable, 'until something changes', q.unschedulable ? 'warn' : ''],
		['Gated', q.gated, 'held by scheduling gates'],
		['Being bound', q.binding, 'on their way to a node'],
		['Bound', d.bound, 'since the start, ' + count(d.preemptions, 'preemption')],
	]);
	showInternals(o);
	showWrong(o);
	showCapacity(o);
	showLoss(o);
	put($('about'), 'berth ' + o.version + ' as kube-scheduler ' + o.release + ', up ' + time(o.upS));
	if (last && last.version !== o.version) notice('berth is of another version now; this page is of the one before.');
	hearSecond(o, last);
	last = o;
	draw();
}

function showCauses() {
	const shown = groups.slice(0, 8);
	sync($('causes'), shown, (g) => g.key, (g) => {
		const tr = row(['Pods', 'Of', 'Why they wait', 'What would help', 'Since']);
		tr.children[0].className = 'num';
		tr.children[1].className = 'name';
		tr.children[1].append(link('', '', ''));
		tr.children[2].className = tr.children[3].className = 'why';
		tr.children[4].className = 'since';
		return tr;
	}, (tr, g) => {
		const a = tr.children[1].firstChild, href = g.first ? addressOf('pending', g.first) : '#pending';
		if (a.getAttribute('href') !== href) a.href = href;
		a.setAttribute('data-item', g.key);
		put(a, g.owner);
		for (const [i, w] of [[0, thousands(g.count)], [2, g.why], [3, g.help], [4, g.p.sinceS === undefined ? '' : time(g.sinceS)]]) put(tr.children[i], w);
	});
	$('causes-head').hidden = !shown.length;
	put($('causes-more'), !groups.length ? 'No pod waits.' : groups.length > shown.length ? count(groups.length - shown.length, 'cause') + ' more under Pending.' : '');
}
