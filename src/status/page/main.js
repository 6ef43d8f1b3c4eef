// ---- signing in, and what keeps the page at work ----

function notice(words) {
	$('notice').hidden = !words;
	put($('notice').firstElementChild, words || '');
}

function signIn(e) {
	const out = !!e;
	$('login').hidden = !out;
	document.body.classList.toggle('out', out);
	if (!out) return;
	say('Not signed in', 'warn');
	put($('login-why'), !token ? '' : e.code === 403 ? 'The user of this token may not list pods and nodes of all namespaces: ' + e.message :
		'This token is not valid, or not any more. Ask for a new one.');
	if (token || document.activeElement === document.body) $('token').focus();
}

let stop = null; // ends the stream of events

// Events are read by hand, as EventSource cannot show a token.
async function follow() {
	stop = new AbortController();
	const reader = (await ask('berth/v1/events', { signal: stop.signal })).body.pipeThrough(new TextDecoderStream()).getReader();
	let held = '';
	last = null;
	heard.length = 0;
	signIn(null);
	notice('');
	for (const d of await askJson('berth/v1/decisions')) hearDecision(d);
	refresh(true);
	for (;;) {
		const part = await reader.read();
		if (part.done) return;
		const events = (held + part.value).split('\n\n');
		held = events.pop();
		for (const e of events) {
			const [, name, data] = /^event: (\w+)\ndata: (.*)$/s.exec(e) || [];
			if (name === 'overview') showOverview(JSON.parse(data));
			if (name === 'decision') hearDecision(JSON.parse(data));
		}
		refresh();
	}
}

const shown = () => new Promise((done) => {
	const look = () => { if (!document.hidden) { document.removeEventListener('visibilitychange', look); done(); } };
	document.addEventListener('visibilitychange', look);
	look();
});

async function listen() {
	for (let failures = 0; ; failures++) {
		let why;
		try {
			await follow();
			failures = 0;
		} catch (e) {
			if (e.code === 401 || e.code === 403) { signIn(e); return; }
			why = e;
		}
		if (!document.hidden) say(why && !(why instanceof TypeError) && why.name !== 'AbortError' ? plain(why) : 'berth does not answer; trying again', 'bad');
		if (failures > 3 && why instanceof TypeError)
			notice('berth does not answer. When it was started again with a new certificate, the browser asks about it once more after a reload.');
		await pause(Math.min(5000, 1000 + failures * 500));
		await shown();
	}
}

// ---- views ----

const loads = { overview: async () => { await readGroups(); showCauses(); if (last) showWrong(last); await readRecent(); }, nodes: async () => { await loadNodes(); await loadNode(); }, pending: loadPods,
	history: loadHistory, whatif: null, internals: loadRooms };
let loaded = 0, loading = false, wanted = false, rest = 2000;

// What is shown is read again while it is looked at: the slower, the less often.
async function refresh(now) {
	// What is asked for while something is read has its turn behind it.
	wanted = loading && (wanted || now);
	if (!loads[view] || loading || document.hidden || !$('login').hidden || (!now && Date.now() - loaded < rest)) return;
	const mine = view;
	loading = true;
	loaded = Date.now();
	$(view).setAttribute('aria-busy', true);
	// Whether berth is there is said by the events.
	let most = 30000;
	try { await loads[view](); } catch (e) {
		most = 4000;
		if (e.code === 401) signIn(e);
		else if (!(e instanceof TypeError)) say(plain(e), 'warn');
	}
	$(mine).removeAttribute('aria-busy');
	rest = Math.min(most, Math.max(mine === 'nodes' && nodes.length > 1000 ? 15000 : mine === 'overview' ? 4000 : 2000, (Date.now() - loaded) * 20));
	loading = false;
	if (wanted || mine !== view) refresh(true);
}

function show() {
	if (location.hash === '#main') return;
	const before = view;
	readAddress();
	keepAddress();
	for (const v of VIEWS) $(v).hidden = v !== view;
	if (view !== before) scrollTo(0, 0);
	document.title = 'berth: ' + document.querySelector('nav [aria-current]').firstChild.textContent + (choice ? ', ' + choice : '');
	for (const [id, name] of controls[view] || []) showParam(id, name);
	if (view === 'nodes') openNode();
	if (view === 'pending') { showPods(); showPod(); }
	if (view === 'history') showHistory();
	draw();
	refresh(true);
}

// Controls by view: element, parameter, what to do when it changes.
const again = () => refresh(true);
const controls = {
	nodes: [['node-filter', 'q', () => showNodes()], ['node-colour', 'colour', again], ['node-pod', 'pod', again], ['node-group', 'group', again], ['node-order', 'order', () => showNodes()]],
	pending: [['pod-filter', 'q', again], ['pod-order', 'order', () => showPods()]],
	history: [['log-filter', 'q', again], ['log-kind', 'show', again], ['log-span', 'span', again]],
};

let hiding = 0;
function onVisibility() {
	clearTimeout(hiding);
	// A page that is not looked at costs nothing after a while.
	if (document.hidden) hiding = setTimeout(() => { if (stop) stop.abort(); }, 20000);
	else refresh(true);
}

function start() {
	for (const list of Object.values(controls)) for (const [id, name, act] of list) bindParam(id, name, act);
	window.addEventListener('hashchange', () => { if (location.hash !== seen) show(); });
	document.addEventListener('visibilitychange', onVisibility);
	document.addEventListener('keydown', onKey);
	$('node-tiles').onclick = (e) => {
		const t = e.target.closest('.tile');
		if (!t || e.ctrlKey || e.metaKey || e.shiftKey) return;
		e.preventDefault();
		params.delete('p');
		params.delete('what');
		setChoice(t.key);
	};
	$('node-tiles').onkeydown = moveInTiles;
	$('scrub').oninput = scrubbed;
	$('scrub-now').onclick = () => { setParam('at', ''); refresh(true); };
	$('older').onclick = () => readOlder().catch((e) => say(plain(e), 'warn'));
	$('dump').onclick = dump;
	$('ask-better').onclick = () => askBetter().catch((e) => $('better').replaceChildren(make('p', plain(e), 'verdict bad', { role: 'alert' })));
	$('ask').onsubmit = (e) => { e.preventDefault(); askWhatIf(); };
	$('pod-text').onkeydown = (e) => { if (e.key === 'Enter' && (e.ctrlKey || e.metaKey)) askWhatIf(); };
	$('help-open').onclick = () => $('help').showModal();
	$('keys-off').checked = localStorage.getItem('keys') === 'off';
	$('keys-off').onchange = () => localStorage.setItem('keys', $('keys-off').checked ? 'off' : 'on');
	$('notice').querySelector('button').onclick = () => location.reload();
	$('login').onsubmit = (e) => {
		e.preventDefault();
		token = $('token').value.trim();
		sessionStorage.setItem('token', token);
		$('token').value = '';
		listen();
	};
	show();
	listen();
}
start();
