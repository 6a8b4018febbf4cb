import fc from 'fast-check'
import { expect, test } from 'vitest'
import { encodeJournal, findEntries, type JournalEntry } from './log/journal-bytes.ts'
import { readLines } from './log/line-bytes.ts'

const lines = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 8 })
const number = fc.integer({ min: 0, max: 0xffff_ffff })

const anyEntries = fc.array(fc.record({ session: number, first: number, lines }))

/** Decodes the entries in a row of the journal. */
const decode = (row: Uint8Array): JournalEntry[] =>
  [...findEntries(row)].map(({ session, first, count, start }) => ({
    session,
    first,
    lines: readLines(row, start, count).lines,
  }))

test('rows of the journal are decoded unchanged, with their positions', () => {
  fc.assert(
    fc.property(anyEntries, (entries) => {
      const received: unknown[] = []
      const row = encodeJournal(entries, (index, { start, end }) =>
        received.push([index, start, end]),
      )
      expect(decode(row)).toEqual(entries)
      expect(received).toEqual([...findEntries(row)].map(({ start, end }, at) => [at, start, end]))
    }),
  )
})

test('truncated rows are an error and never a shorter list', () => {
  fc.assert(
    fc.property(anyEntries, fc.nat(), (entries, at) => {
      const bytes = encodeJournal(entries)
      fc.pre(bytes.length > 0)
      const cut = at % bytes.length
      const decodeCut = () => decode(bytes.slice(0, cut))
      // A cut between two entries cannot be detected here; the checksum before the bytes detects it.
      const whole = entries.findIndex(
        (_, count) => encodeJournal(entries.slice(0, count)).length === cut,
      )
      if (whole >= 0) expect(decodeCut()).toEqual(entries.slice(0, whole))
      else expect(decodeCut).toThrow('damaged')
    }),
  )
})
