import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { catalog, type EnvelopeTraits } from '../src/events/index.ts'
import { envelopeSchema, protocolRows } from './support/frames/envelope-schema.ts'

const schemaFile = fileURLToPath(
  new URL('../../../spec/schema/envelope.schema.json', import.meta.url),
)

test('[ENV-4] the published schema equals the one of the catalogue', () => {
  const made = `${JSON.stringify(envelopeSchema(), null, 2)}\n`
  if (process.env['UPDATE_SCHEMA'] === '1') writeFileSync(schemaFile, made)
  expect(readFileSync(schemaFile, 'utf8')).toBe(made)
})

test('[ENV-4] the schema accepts valid frames and rejects invalid ones', () => {
  const validate = new Ajv2020({ strict: false }).compile(envelopeSchema())
  const base = { type: 'tool_result', agent: 'a', final: true, delta: '' }
  expect(validate({ ...base, id: 't', name: 'f', is_error: true, future: [] })).toBe(true)
  expect(validate({ ...base, type: 'hologram' })).toBe(true)
  expect(validate({ ...base, is_error: 'yes' })).toBe(false)
  expect(validate({ ...base, delta: undefined })).toBe(false)
  expect(validate({ ...base, more: { src: 'bytes' } })).toBe(false)
  expect(validate({ ...base, type: 'tool_result_image', delta: 'x' })).toBe(false)
})

test('[ENV-4] PROTOCOL.md has a row for every type of the catalogue, with its emission and fields', () => {
  for (const [type, traits] of Object.entries<EnvelopeTraits>(catalog)) {
    const [, emission, delta, extras, meaning] = protocolRows.get(type) ?? []
    expect(meaning, `a row with the meaning of ${type}`).toMatch(/\.$/)
    expect(emission, `${type} emission`).toBe(traits.emission ?? 'buffered')
    expect(delta, `${type} delta`).toBe(traits.delta)
    const fields = [
      ...Object.keys(traits.required ?? {}),
      ...Object.keys(traits.optional ?? {}).map((name) => `${name}?`),
    ]
    expect(extras, `${type} fields`).toBe(fields.map((name) => `\`${name}\``).join(', ') || '–')
  }
})

test('[ENV-8] PROTOCOL.md lists the types that are items', () => {
  const protocol = readFileSync(new URL('../../../spec/PROTOCOL.md', import.meta.url), 'utf8')
  const [, list = ''] = /\[ENV-8\]\*\* (.*?) are _items_/s.exec(protocol) ?? []
  const items = Object.entries<EnvelopeTraits>(catalog).filter(([, { isItem }]) => isItem)
  expect([...list.matchAll(/`(\w+)`/g)].map(([, type]) => type)).toEqual(
    items.map(([type]) => type),
  )
})
