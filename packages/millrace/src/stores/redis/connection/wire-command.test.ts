import { Writable } from 'node:stream'
import fc from 'fast-check'
import { Command } from 'ioredis'
import { describe, expect, test } from 'vitest'
import { createWireCommand, encodeCommand, encodeStart } from './wire-command.ts'

const args = fc.array(
  fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.integer(),
    fc.uint8Array().map((bytes) => Buffer.from(bytes)),
  ),
)

describe('a command encoded by Millrace', () => {
  test('has the same bytes as from ioredis, wherever its start ends', () => {
    fc.assert(
      fc.property(args, args, (first, last) => {
        const expected = new Command('set', [...first, ...last]).toWritable({})
        const encoded = encodeCommand(encodeStart('set', first), last)
        expect(encoded.equals(Buffer.from(expected))).toBe(true)
      }),
    )
  })

  test('is written together with all others of its turn, in their order', async () => {
    const writes: string[] = []
    const socket = new Writable({
      write: (chunk: Buffer, _, done) => {
        writes.push(chunk.toString())
        done()
      },
      writev: (chunks, done) => {
        writes.push(Buffer.concat(chunks.map(({ chunk }) => chunk as Buffer)).toString())
        done()
      },
    })
    const send = (name: string): void => {
      const start = encodeStart(name, [])
      socket.write(createWireCommand(start, encodeCommand(start, [])).toWritable(socket))
    }
    for (const turn of [['a', 'b', 'c'], ['d']]) {
      // Microtasks between them belong to the same turn.
      for (const name of turn) await Promise.resolve(name).then(send)
      await new Promise(setImmediate)
    }
    const wire = (name: string): string => `*1\r\n$1\r\n${name}\r\n`
    expect(writes).toEqual([['a', 'b', 'c'].map(wire).join(''), wire('d')])
  })
})
