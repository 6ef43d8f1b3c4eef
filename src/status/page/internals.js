// ---- internals: memory, the snapshot ----

async function loadRooms() {
	const rooms = await askJson('berth/v1/memory');
	const most = (r) => r.usedMax / (r.capacity || 1), seen = {};
	rooms.sort((a, b) => b.refused - a.refused || most(b) - most(a));
	for (const r of rooms) r.key = r.name + (seen[r.name] = (seen[r.name] || 0) + 1); // a name may come twice
	sync($('rooms'), rooms, (r) => r.key, (r) => make('li', [make('span', [make('b', r.name), make('span')]), make('i')]), (e, r) => {
		const show = r.unit === 'bytes' ? bytes : thousands;
		const words = show(r.used) + ', at most ' + show(r.usedMax) + ', of ' + show(r.capacity);
		put(e.firstChild.lastChild, show(r.used) + ' of ' + show(r.capacity) + (r.refused ? ', refused ' + r.refused : ''));
		putClass(e.firstChild.lastChild, r.refused ? 'bad' : 'dim');
		e.title = words;
		meter(e.lastChild, r.name + ': ' + words, r.used / (r.capacity || 1), most(r), r.refused > 0);
	});
}

async function dump() {
	try {
		const a = make('a', '', '', { download: 'cluster.json' });
		a.href = URL.createObjectURL(await (await ask('berth/v1/dump')).blob());
		a.click();
		setTimeout(() => URL.revokeObjectURL(a.href), 10000);
	} catch (e) {
		say(plain(e), 'bad');
	}
}
