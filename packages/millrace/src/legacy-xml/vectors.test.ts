import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { type CaseBlock, toCase } from '../../test/support/protocols/legacy-xml.ts'
import type { Envelope } from '../events/index.ts'
import { envelopesToXml, xmlToEnvelopes } from './convert.ts'

interface Case {
  readonly name: string
  readonly kind: string
  readonly input: { readonly data: string[]; readonly agent: string; readonly events: WireEvent[] }
  readonly expected: {
    readonly agent?: string
    readonly blocks?: CaseBlock[]
    readonly data?: string[]
    readonly decodes_to?: CaseBlock[]
  }
  readonly why: string
}

/** The fields of a model's events that the cases need. */
interface WireEvent {
  readonly type: string
  readonly content_block?: {
    type: string
    id?: string
    tool_use_id?: string
    name?: string
    content?: unknown
  }
  readonly delta?: { text?: string; thinking?: string; partial_json?: string }
}

const root = new URL('../../../../', import.meta.url)

function readCases(path: string, kind: string): Case[] {
  const file = new URL(path, root)
  if (!existsSync(file)) return []
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean)
  return lines.map((line) => JSON.parse(line) as Case).filter((each) => each.kind === kind)
}

const toXml = readCases('../shared/vectors/protocol.jsonl', 'events_to_xml')

/** Converts a case's events to the envelopes that a formatter sends. */
function toEnvelopes({ agent, events }: Case['input']): Envelope[] {
  let open: Omit<Envelope, 'final' | 'delta'> | undefined
  return events.flatMap(({ type, content_block: block, delta }): Envelope[] => {
    if (block !== undefined) {
      const id = block.id ?? block.tool_use_id
      const isResult = block.type.endsWith('_tool_result')
      const name = isResult ? block.type : block.name
      const kind = isResult ? 'server_tool_result' : block.type.replace('tool_use', 'tool_call')
      open = id === undefined ? { type: kind, agent } : { type: kind, agent, id, name }
      const content = isResult ? JSON.stringify(block.content) : ''
      return [{ ...open, final: false, delta: content } as Envelope]
    }
    if (open === undefined) return []
    const text = delta?.text ?? delta?.thinking ?? delta?.partial_json ?? ''
    return [{ ...open, final: type === 'content_block_stop', delta: text } as Envelope]
  })
}

/** Removes spaces: the old encoder parsed arguments and encoded them with spaces; this encoder keeps the model's bytes. */
function withoutSpaces(messages: readonly string[] | undefined): string[] | undefined {
  return messages?.map((message) => message.replaceAll('&quot;: ', '&quot;:'))
}

describe.runIf(toXml.length > 0)('vectors of the old encoder', () => {
  test.each(toXml.map((each) => [each.name, each] as const))('%s', (_name, { input, expected }) => {
    const messages = [...envelopesToXml(toEnvelopes(input))]
    expect(messages.join('')).not.toMatch(/[\r\n]/)
    expect(messages).toEqual(withoutSpaces(expected.data) ?? messages)
    const decoded = toCase([...xmlToEnvelopes(messages)])
    expect(decoded.blocks).toMatchObject(expected.decodes_to ?? decoded.blocks)
  })
})
