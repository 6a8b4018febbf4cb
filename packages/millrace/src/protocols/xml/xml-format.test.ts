import fc from 'fast-check'
import { expect, test } from 'vitest'
import { joinAll } from '../../../test/support/protocols/legacy-xml.ts'
import { anyLog, toFrames } from '../../../test/support/frames/play-log.ts'
import { runs } from '../../../test/support/runs.ts'
import type { Envelope } from '../../events/index.ts'
import { envelopesToXml, xmlToEnvelopes } from '../../legacy-xml/convert.ts'
import { xmlFormat } from './xml-format.ts'

const ROOT = 'mill'
const say = (type: string, delta: string, more: Partial<Envelope> = {}): Envelope => ({
  type,
  agent: ROOT,
  final: true,
  delta,
  ...more,
})

function write(options: Parameters<typeof xmlFormat>[0], ...envelopes: Envelope[]): string[] {
  const messages = envelopes.map((envelope, index) => ({ id: index + 1, envelope }))
  return toFrames(xmlFormat(options), { root: ROOT }, messages).map(({ data = '' }) => data)
}

test('a run equals the output of the encoder, and its merged form decodes to the same', () => {
  fc.assert(
    fc.property(anyLog, (log) => {
      const [plain, merged] = [log.messages, log.merged].map((messages) =>
        toFrames(xmlFormat(), log, messages).map(({ data = '' }) => data),
      )
      const read = (data: readonly string[] = []) =>
        joinAll([...xmlToEnvelopes(data, { agent: log.root })])
      expect(read(merged)).toEqual(read(plain))
      const isOnce = log.messages.filter(({ envelope: { type } }) => type === 'meta_init')
      if (isOnce.length > 1) return
      const envelopes = log.messages.map(({ envelope: { delta, ...rest } }) => ({
        ...rest,
        delta: delta.replace(/^\{"format":"json",/, '{"format":"xml",'),
      }))
      expect(plain).toEqual([...envelopesToXml(envelopes, { agent: log.root })])
    }),
    { numRuns: runs(100, 1000) },
  )
})

test('after a rollback the retried blocks follow, to the end [XML-21]', () => {
  const omitted: string[] = []
  const said = write(
    { onOmit: ({ type }) => omitted.push(type) },
    say('text', 'a', { final: false }),
    say('text', ''),
    say('rollback', '{}'),
    say('text', 'b', { final: false }),
    say('text', ''),
    say('meta_end', '{}'),
  )
  expect(said.join('')).toBe(
    '<content-block-text>a</content-block-text><content-block-text>b</content-block-text>',
  )
  expect(omitted).toEqual(['rollback', 'meta_end'])
})

test('the beginning of a run names the format', () => {
  const said = write({}, say('meta_init', '{"format":"json","user_query":"hi"}')).join('')
  expect(said).toMatch(/format[^,]*xml/)
  expect(said).not.toContain('json')
})

test('sub-agents are omitted on request [XML-20]', () => {
  const child = say('text', 'child', { agent: 'c' })
  expect(write({}, child).join('')).toContain('child')
  expect(write({ agents: 'root' }, child)).toEqual([])
})
