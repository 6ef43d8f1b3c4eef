// SPDX-License-Identifier: GPL-2.0-only
// What is asked of every view; these functions run inside the page.
'use strict';

// Texts whose contrast with what is behind them is below 4.5 : 1.
function pale() {
	const parse = (c) => (c.match(/[\d.]+/g) || []).map(Number);
	const bright = ([r, g, b]) => [r, g, b].map((v) => v / 255).map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
		.reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
	const over = (top, under) => top.slice(0, 3).map((v, i) => v * (top[3] ?? 1) + under[i] * (1 - (top[3] ?? 1)));
	const behind = (e) => {
		const layers = [];
		for (; e; e = e.parentElement) layers.push(parse(getComputedStyle(e).backgroundColor));
		return layers.reverse().reduce((under, layer) => over(layer, under), [255, 255, 255]);
	};
	const found = [];
	const check = (color, back, e, text) => {
		const [high, low] = [bright(over(parse(color), back)), bright(back)].sort((a, b) => b - a), ratio = (high + 0.05) / (low + 0.05);
		if (ratio < 4.5) found.push(ratio.toFixed(2) + ' ' + e.tagName + '.' + e.className + ' ' + text.slice(0, 30));
	};
	for (const e of document.querySelectorAll('body *')) {
		const text = [...e.childNodes].filter((n) => n.nodeType === 3).map((n) => n.data.trim()).join('');
		if (!e.checkVisibility() || (!text && !/^(INPUT|TEXTAREA|SELECT)$/.test(e.tagName))) continue;
		const back = behind(e);
		check(getComputedStyle(e).color, back, e, text);
		if (e.placeholder) check(getComputedStyle(e, '::placeholder').color, back, e, e.placeholder);
	}
	return found;
}

// What sticks out to the right, but for what can be scrolled by itself.
function wide() {
	const found = [];
	if (document.documentElement.scrollWidth > innerWidth) found.push('the page: ' + document.documentElement.scrollWidth + ' of ' + innerWidth);
	for (const e of document.querySelectorAll('.scroll'))
		if (innerWidth < 600 && e.checkVisibility() && e.querySelector('.rows') && e.scrollWidth > e.clientWidth) found.push('a list: ' + e.scrollWidth + ' of ' + e.clientWidth);
	for (const e of document.querySelectorAll('body *'))
		if (e.checkVisibility() && !e.closest('.scroll *, .skip, .rows thead') && e.getBoundingClientRect().right > innerWidth + 0.5)
			found.push(e.tagName + '.' + e.className + '#' + e.id);
	return found;
}

// Small things to tap.
function small() {
	return [...document.querySelectorAll('button, select, input, nav a')].filter((e) => e.checkVisibility())
		.filter((e) => e.getBoundingClientRect().height < 22).map((e) => e.tagName + ' ' + e.textContent.slice(0, 20));
}

// Headings that skip a level, in the view that is shown.
function headings() {
	const levels = [...document.querySelectorAll('h1,h2,h3')].filter((e) => e.checkVisibility()).map((e) => Number(e.tagName[1]));
	return levels[0] === 1 && levels.filter((l) => l === 1).length === 1 && levels.every((l, i) => i === 0 || l <= levels[i - 1] + 1);
}

// The page as a table's text: rows of cells.
function cells(css) {
	return [...document.querySelectorAll(css + ' tr')].map((tr) => [...tr.children].map((c) => c.textContent.replace(/\u200b/g, '')));
}

// Where the focus is, and whether that can be seen.
function focused() {
	const e = document.activeElement, style = getComputedStyle(e);
	const name = e === document.body ? 'BODY' : e.id || (e.className === 'skip' ? 'skip' : e.hash || '') || (e.className || '').split(' ')[0] || e.textContent;
	return { name, seen: style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0 };
}

// Runs what `act` does while frames and long tasks are measured; milliseconds.
async function smooth(act) {
	const tasks = [], frames = [];
	const observer = new PerformanceObserver((list) => tasks.push(...list.getEntries().map((t) => t.duration)));
	observer.observe({ type: 'longtask' });
	let run = true, before = performance.now();
	const frame = (now) => { frames.push(now - before); before = now; if (run) requestAnimationFrame(frame); };
	requestAnimationFrame(frame);
	const start = performance.now();
	await (0, eval)('(' + act + ')')();
	const took = performance.now() - start;
	await new Promise((done) => setTimeout(done, 300));
	run = false;
	observer.disconnect();
	frames.sort((a, b) => a - b);
	return { took: Math.round(took), longest: Math.round(Math.max(0, ...tasks)), tasks: tasks.length,
		frame: Math.round(frames[frames.length >> 1]), worst: Math.round(frames[frames.length - 1]) };
}

module.exports = { pale, wide, small, headings, cells, focused, smooth };
