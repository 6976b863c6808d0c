import { expect, test } from 'vitest'
import { drawScreens, readTerminal } from './terminal-picture.ts'

test('escape codes begin and end styles', () => {
  expect(readTerminal('a\u001b[1m\u001b[32mb\u001b[39mc\u001b[22md\n\u001b[33me\u001b[0mf', 80)).toEqual([
    [
      { text: 'a', styles: [] },
      { text: 'b', styles: ['bold', 'green'] },
      { text: 'c', styles: ['bold'] },
      { text: 'd', styles: [] },
    ],
    [
      { text: 'e', styles: ['yellow'] },
      { text: 'f', styles: [] },
    ],
  ])
})

test('a long line wraps into the next row', () => {
  const texts = readTerminal('abc\u001b[2mdefgh\u001b[22m\n', 4).map((line) => line.map(({ text }) => text))
  expect(texts).toEqual([['abc', 'd'], ['efgh'], []])
})

test('a picture has all screens in order, each with its rows, and escaped text', () => {
  const screens = [readTerminal('<a> & "b"\nc', 20), readTerminal('1\n2\n3\n4\n5', 20)]
  const picture = drawScreens(screens, { columns: 20, rows: 4, secondsPerScreen: 2, title: 'A "session"' })
  expect(picture.match(/<g /g)).toHaveLength(2)
  expect(picture).toContain('aria-label="A &quot;session&quot;"')
  expect(picture).toContain('>&lt;a&gt; &amp; &quot;b&quot;</text>')
  expect(picture).toContain('animation-delay:2s')
  expect(picture).toContain('animation:show 4s')
  const rows = [...picture.matchAll(/<text x="14" y="\d+" xml:space="preserve">(.*)<\/text>/g)].map(
    ([, row]) => row,
  )
  expect(rows.slice(2)).toEqual(['1', '2', '<tspan class="dim">...</tspan>', '5'])
})
