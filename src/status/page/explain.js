// ---- explanations: why a pod waits, node by node ----

const helps = {
	NodeAffinity: 'A node with the labels that spec.nodeSelector and spec.affinity.nodeAffinity of the pod require.',
	NodeName: 'No spec.nodeName, or that node.',
	NodePorts: 'Another host port, or a node where it is free.',
	PodTopologySpread: 'Capacity where there are fewer of these pods, a larger maxSkew, or ScheduleAnyway.',
	InterPodAffinity: 'A node without the pods that its anti-affinity names, or with those that its affinity requires.',
	VolumeBinding: 'A volume or a storage class that a feasible node can use.',
	VolumeZone: 'A node in the zone of the volume.',
	VolumeRestrictions: 'The pod that uses the volume has to end.',
	NodeVolumeLimits: 'A node with fewer volumes.',
	SchedulingGates: 'The controller that added the gates has to remove them.',
};

// "2 nodes lack cpu; n3 lacks least: 300m"
function lacking(reason, names, requests) {
	const name = reason === 'Too many pods' ? 'pods' : reason.replace('Insufficient ', '');
	const key = { cpu: 'cpuMilli', memory: 'memory', pods: 'pods', 'ephemeral-storage': 'storage' }[name];
	const need = name === 'pods' ? 1 : requests[name];
	const rows = names.map((n) => nodesByName.get(n)).filter((n) => n && need !== undefined).map((n) => {
		const pair = (key ? n[key] : (n.more || {})[name]) || [0, 0];
		return { node: n.name, most: pair[1], lack: need - (pair[1] - pair[0]) };
	}).filter((r) => r.lack > 0).sort((a, b) => a.lack - b.lack);
	if (!rows.length) return '';
	const largest = Math.max(...rows.map((r) => r.most)), show = (n) => amount(name, n);
	if (largest < need) return count(rows.length, 'node') + ' too small: ' + show(need) + ' ' + name + ' requested, the largest has ' + show(largest) + '.';
	return count(rows.length, 'node') + (rows.length > 1 ? ' lack ' : ' lacks ') + (rows[0].lack === rows[rows.length - 1].lack ? show(rows[0].lack) + ' ' + name :
		name + '; least: ' + show(rows[0].lack) + ' on ' + rows[0].node) + '.';
}

function helpWith(o, plugin, reasons, names) {
	if (plugin === 'NodeResourcesFit')
		return reasons.map((r) => lacking(r, names, o.requests || {})).join(' ') || 'Smaller requests, or free capacity on a node.';
	// Whatever plugin says it: an object is missing.
	const missing = reasons.map((r) => /^(\S+) "?([^" ]+)"? not found/.exec(r)).find(Boolean);
	if (missing) return 'Create the ' + missing[1] + ' ' + missing[2] + '.';
	if (plugin === 'NodeAffinity' && o.nodeSelector) return 'A node with ' + Object.entries(o.nodeSelector).map(([k, v]) => k + '=' + v).join(', ') + '.';
	if (plugin === 'NodeUnschedulable') return 'kubectl uncordon ' + some(names, 3);
	if (plugin !== 'TaintToleration') return helps[plugin] || '';
	const taints = new Map();
	for (const name of names)
		for (const t of (nodesByName.get(name) || { taints: [] }).taints) if (!t.endsWith(':PreferNoSchedule')) taints.set(t, (taints.get(t) || 0) + 1);
	return taints.size ? 'Tolerate or remove ' + some([...taints].map(([t, n]) => t + ' (' + count(n, 'node') + ')'), 4) : '';
}

// One at a time is explained, and there is a pause between two.
async function explanation(path, more) {
	for (let i = 0; ; i++) {
		try {
			return await askJson(path, more);
		} catch (e) {
			if (i === 8 || !/retry/.test(e.message)) throw e;
			await pause(150);
		}
	}
}

// The filter that refused first, those before it, and those that were not asked any more.
function refusalRow(node, r, columns) {
	const at = columns.indexOf(r.plugin);
	return make('tr', [make('td', [link(node, addressOf('nodes', node))], 'name'), ...columns.map((c, i) => i === at ? make('td', 'refuses', 'no') :
		make('td', i < at ? 'passes' : 'not asked', i < at ? 'yes' : 'dim')), make('td', reasons(r) + (r.detail ? ': ' + r.detail : ''), 'why')]);
}

function scoreTable(label, scores) {
	const names = [...new Set(scores.flatMap(([, s]) => Object.keys(s.plugins)))];
	return table(label, ['Node', 'Total', ...names], scores.map(([node, s]) => make('tr', [make('td', [link(node, addressOf('nodes', node))], 'name'),
		make('td', [make('b', s.total)], 'num'), ...names.map((n) => make('td', s.plugins[n], 'num'))])));
}

function refusalTables(o, rejected) {
	const found = new Map();
	for (const [node, r] of rejected) {
		const key = r.plugin + r.reasons;
		if (!found.has(key)) found.set(key, { ...r, names: [] });
		found.get(key).names.push(node);
	}
	const asked = new Set(rejected.map(([, r]) => r.plugin)), order = o.filters || [];
	const columns = [...order.filter((f) => asked.has(f)), ...[...asked].filter((f) => !order.includes(f))];
	return [
		...table('Why, and what would help', ['Nodes', 'First refusal', 'Why', 'What would help'],
			[...found.values()].sort((a, b) => b.names.length - a.names.length).map((g) => make('tr', [
				make('td', thousands(g.names.length), 'num'), make('td', soft(g.plugin)), make('td', reasons(g), 'bad'),
				make('td', helpWith(o, g.plugin, g.reasons, g.names), 'why')])), 'rows'),
		...table('Node by node', ['Node', ...columns, 'Why'], rejected.map(([node, r]) => refusalRow(node, r, columns))),
	];
}

// What was asked about together: each workload, and how often the pod that is explained fits.
function workload(w) {
	const where = Object.entries(w.nodes).sort((a, b) => b[1] - a[1]).map(([node, n]) => thousands(n) + ' on ' + node);
	const cut = w.placed === w.lookedAt && w.lookedAt < w.wanted;
	return make('p', [make('b', cut ? 'The first ' + count(w.placed, 'pod') + ' of ' + thousands(w.wanted) + ' find a node' :
		w.placed === w.wanted ? 'All ' + count(w.wanted, 'pod') + ' find a node' : 'Only ' + thousands(w.placed) + ' of ' + count(w.wanted, 'pod') + ' find a node',
	w.placed === w.lookedAt ? 'good' : 'bad'), ': ' + w.kind + ' ' + w.namespace + '/' + w.name + (where.length ? ': ' + some(where, 12) : '') + '.']);
}

function headroom(h) {
	const first = Object.entries(h.first).sort((a, b) => b[1] - a[1]).map(([what, n]) => what + ' on ' + count(n, 'node'));
	return [make('p', [make('b', (h.isUpperBound ? 'At most ' : '') + count(h.fits, 'such pod') + (h.fits === 1 ? ' fits' : ' fit')),
		first.length ? ', this one included. What runs out first: ' + first.join(', ') + '.' : '.']),
	...h.nodes.length ? table('How many fit', ['Node', 'Pods', 'Runs out first'], h.nodes.map(([node, n, what]) => make('tr', [
		make('td', [link(node, addressOf('nodes', node))], 'name'), make('td', thousands(n), 'num'), make('td', what)]))) : []];
}

// A pod that runs: when it came there, and whether it would go elsewhere now.
function whereabouts(a, d) {
	const better = a.to && !a.stays;
	return [make('p', 'Is on ' + a.node + (a.stays ? ', and would go there again.' : better ? ', and would go to ' + a.to + ' now' + (a.score === undefined ? ': ' + a.node + ' would not take it.' :
		': ' + thousands(a.best) + ' points, ' + a.node + ' has ' + thousands(a.score) + '.') : '; no node would take it now, its own neither.'), 'verdict ' + (a.stays ? 'good' : 'warn')),
	make('p', d ? 'It came there at ' + new Date(d.atMs).toLocaleString('en-GB') + ', from ' + count(d.feasible, 'feasible node') + (d.best && d.best.length ? ': ' + d.best.map(([n, s]) => n + ' ' + s).join(', ') : '') + '.' :
		'When it came there is not in the history: that begins when berth does.', 'dim')];
}

function explain(o) {
	const parts = [], rejected = Object.entries(o.rejected || {}).sort((a, b) => a[0] < b[0] ? -1 : 1), pick = o.preemption || {};
	const scores = Object.entries(o.scores || {}).sort((a, b) => b[1].total - a[1].total || (b[0] === o.choice) - (a[0] === o.choice));
	const same = (o.best || []).length, list = o.workloads || [];
	if (list.length > 1 || list.some((w) => w.kind !== 'Pod'))
		parts.push(...list.map(workload), make('h3', list.every((w) => w.placed === w.lookedAt) ? 'The last of these pods' : 'The first without a node'));
	if (o.gates) parts.push(make('p', 'Not scheduled: it waits for its scheduling gates: ' + o.gates.join(', ') + '. Without them:', 'verdict warn'));
	if (o.assigned) parts.push(...whereabouts(o.assigned, o.decided));
	else if (o.choice) parts.push(make('p', (o.gates ? 'Would go to ' : 'Goes to ') + o.choice + (same > 1 ? ', one of ' + same + ' equally good nodes.' : same ? ', the best of ' + scores.length + '.' : '.'), o.gates ? 'verdict' : 'verdict good'));
	if (o.error || o.message) parts.push(make('p', o.error || short(o.message), 'verdict bad'));
	if (o.preFilter) parts.push(make('p', o.preFilter.plugin + ': ' + o.preFilter.reasons.join('; ') + '. ' + helpWith(o, o.preFilter.plugin, o.preFilter.reasons, [])));
	for (const p of pick.picks || [])
		parts.push(make('p', [make('b', 'Would preempt ' + count(p.victims.length, 'pod') + ' on ' + p.node, 'warn'), ': ' + some(p.victims, 12) +
			(p.pdbViolations ? ', against ' + count(p.pdbViolations, 'disruption budget') : '') + '.']));
	if (pick.message) parts.push(make('p', pick.message, 'dim'));
	if (o.headroom && o.headroom.fits) parts.push(...headroom(o.headroom));
	if (scores.length) parts.push(...scoreTable('Feasible nodes, by score', scores));
	if (rejected.length) parts.push(...refusalTables(o, rejected));
	return parts;
}

// What an answer of berth means for whoever asked.
function plain(e) {
	if (e instanceof TypeError) return 'berth does not answer.';
	if (e.code === 403) return 'The user of this token may not ask that: ' + e.message;
	if (e.code === 404 && /^pod/.test(e.message)) return 'There is no such pod any more: it was deleted.';
	return e.message[0].toUpperCase() + e.message.slice(1);
}

async function showExplanation(place, title, path, more, closes) {
	const head = make('div', [make('h3', [title, make('small', ' at ' + clock(Date.now()))])], 'head');
	if (closes) {
		head.append(button('Ask again', () => { explained = ''; showPod(); }), link('Close', addressOf(view, '', params), 'close'));
	}
	try {
		const o = await explanation(path, more);
		if (o.rejected && Date.now() - nodesAt > 3000) await readNodes();
		place.replaceChildren(head, ...explain(o));
	} catch (e) {
		if (e.code === 401) signIn(e);
		place.replaceChildren(head, make('p', plain(e), 'verdict bad', { role: 'alert' }));
		return e.message;
	}
	reveal(place);
	return '';
}
