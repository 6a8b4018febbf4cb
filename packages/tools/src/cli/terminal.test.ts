import { PassThrough } from 'node:stream'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createPaint } from '../doctor/report.ts'
import { createTerminal, toTerminalText } from './terminal.ts'

/** Output streams that record their input, of a terminal or of a pipe. */
function openStreams(isTTY: boolean) {
  const open = () => Object.assign(new PassThrough(), { isTTY, columns: 80 })
  const [stdout, stderr] = [open(), open()]
  const read = (stream: PassThrough): string => String(stream.read() ?? '')
  return { streams: { stdout, stderr }, read: () => [read(stdout), read(stderr)] }
}

const escape = '\u001b'
const colours = new RegExp(`${escape}\\[(?:[012]|3[123])m`, 'g')
const attack = 'done\u001b]0;owned\u0007\u001b[2J\u009b6n\u202e\r$ '
const shown = 'done⟨U+001B⟩]0;owned⟨U+0007⟩⟨U+001B⟩[2J⟨U+009B⟩6n⟨U+202E⟩⟨U+000D⟩$ '

describe('a terminal', () => {
  test('gets no escape sequence of a model, a tool or a file', async () => {
    const { streams, read } = openStreams(true)
    const terminal = createTerminal(streams)
    terminal.print(attack)
    terminal.complain(attack)
    expect(read()).toEqual([`${shown}\n`, `${shown}\n`])
    await terminal.write(attack)
    terminal.showProgress?.(attack)
    expect(read()).toEqual([shown, `\r\u001b[K${shown.slice(0, 79)}`])
  })

  test('gets every byte unchanged if it is a pipe or a file', async () => {
    const { streams, read } = openStreams(false)
    const terminal = createTerminal(streams)
    terminal.print(attack)
    terminal.complain(attack)
    await terminal.write(attack)
    expect(terminal.showProgress).toBeUndefined()
    expect(read()).toEqual([`${attack}\n${attack}`, `${attack}\n`])
  })

  test('gets colours of the program, and no other sequence', () => {
    const paint = createPaint(true)
    const text = `${paint.bold('a')} ${paint.dim('b')} ${paint.red('c')} ${paint.green('d')} ${paint.yellow('e')}`
    expect(toTerminalText(text)).toBe(text)
    expect(toTerminalText('\u001b[8mconcealed\u001b[0m')).toBe('⟨U+001B⟩[8mconcealed\u001b[0m')
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...'\u001b[0123;m]H\u009ba\n'.split('')) }),
        (written) => {
          const safe = toTerminalText(written).replaceAll(colours, '')
          expect(safe).not.toMatch(/(?!\n)\p{Cc}/u)
        },
      ),
    )
  })
})
