// ---- what if ----

// Running pods that would go elsewhere now, the largest gain first.
async function askBetter() {
	const list = (await explanation('berth/v1/better')).sort((a, b) => b.gain - a.gain), node = (n) => make('td', [link(n, addressOf('nodes', n))], 'name');
	$('better').replaceChildren(...list.length ? table('Better placed elsewhere', ['Pod', 'Now on', 'Score', 'Would go to', 'More points'], list.map((p) => make('tr', [
		make('td', p.namespace + '/' + p.name, 'name'), node(p.node), make('td', p.score, 'num'), node(p.to), make('td', '+' + p.gain, 'num')])))
		: [make('p', 'No running pod would gain 20 points or more elsewhere.', 'dim')]);
}

async function askWhatIf() {
	const text = $('pod-text'), fault = await showExplanation($('answer'), 'Answer', 'berth/v1/whatif', { method: 'POST', body: text.value });
	const line = /^line (\d+):/.exec(fault);
	if (!line) return;
	const lines = text.value.split('\n'), start = lines.slice(0, line[1] - 1).join('\n').length + (line[1] > 1 ? 1 : 0);
	text.focus();
	text.setSelectionRange(start, start + (lines[line[1] - 1] || '').length);
}
