import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { parseCases } from '../src/cli/conformance/conformance-case.ts'
import { runCase } from '../src/cli/conformance/run-case.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const ownFiles = readdirSync(join(root, 'spec/vectors')).map((name) =>
  join(root, 'spec/vectors', name),
)
const sharedFile = join(root, '../shared/vectors/protocol.jsonl')
const supported = new Set(['chunking', 'envelopes_to_ui', 'sse_decode', 'xml_to_json'])

const cases = [...ownFiles, ...(existsSync(sharedFile) ? [sharedFile] : [])]
  .flatMap((file) => parseCases(readFileSync(file, 'utf8')))
  .filter(({ kind }) => supported.has(kind))

describe('conformance', () => {
  test.each(cases.map((one) => [one.kind, one.name, one] as const))(
    '%s %s',
    (_kind, _name, one) => {
      expect(runCase(one).faults).toEqual([])
    },
  )

  test('a kind that is not supported counts as failed', () => {
    const outcome = runCase({ name: 'x', kind: 'telepathy', input: {}, expected: {} })
    expect(outcome.faults).toEqual(['kind telepathy is not supported yet'])
  })

  test('a wrong expectation fails and says what was expected and found', () => {
    const [one] = parseCases(readFileSync(join(root, 'spec/vectors/sse.jsonl'), 'utf8'))
    const outcome = runCase({ ...one!, expected: { data: ['other'] } })
    expect(outcome.faults[0]).toMatch(/expected \["other"\], found/)
  })

  test('an expectation that the runner does not know fails', () => {
    const [one] = parseCases(readFileSync(join(root, 'spec/vectors/chunking.jsonl'), 'utf8'))
    expect(runCase({ ...one!, expected: { sparkles: true } }).faults).toHaveLength(1)
  })
})
