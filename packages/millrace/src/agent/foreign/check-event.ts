import { badRequest, type MillraceError } from '../../errors/index.ts'
import type { LoopEvent, LoopMemory } from './loop-event.ts'

type Kind = 'string' | 'boolean' | 'list' | 'object' | 'json'

/** The fields of each event; those with `?` may be absent. */
const fields: Readonly<Record<LoopEvent['type'], Readonly<Record<string, Kind | `${Kind}?`>>>> = {
  text: { text: 'string' },
  thinking: { text: 'string', signature: 'string?' },
  block_end: {},
  tool_input: { callId: 'string', name: 'string', text: 'string' },
  tool_call: { callId: 'string', name: 'string', input: 'json?' },
  tool_progress: { callId: 'string', text: 'string' },
  tool_result: {
    callId: 'string',
    name: 'string?',
    text: 'string?',
    content: 'list?',
    isError: 'boolean?',
  },
  step_end: { stopReason: 'string?', usage: 'object?' },
  awaiting_frontend_tools: { calls: 'list' },
  awaiting_approval: { calls: 'list' },
  error: { message: 'string', kind: 'string?', code: 'string?', retriable: 'boolean?' },
  end: { stopReason: 'string' },
}

const tests: Readonly<Record<Kind, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  boolean: (value) => typeof value === 'boolean',
  list: Array.isArray,
  object: (value) => typeNameOf(value) === 'object',
  json: isJson,
}

const kindNames: Readonly<Record<Kind, string>> = {
  string: 'a string',
  boolean: 'a boolean',
  list: 'a list',
  object: 'an object',
  json: 'a JSON value',
}

/** Checks an event that a loop has yielded; the error names its number, counted from 1, and the field. */
export function checkEvent(value: unknown, number: number): LoopEvent {
  if (!isRecord(value))
    throw refusal(number, `an event must be an object with a \`type\`, got ${typeNameOf(value)}`)
  const { type } = value
  const known = typeof type === 'string' && Object.hasOwn(fields, type)
  if (!known) {
    const given = typeof type === 'string' ? `\`${type}\`` : typeNameOf(type)
    const names = Object.keys(fields).join(', ')
    throw refusal(number, `\`type\` must be one of ${names}, got ${given}`)
  }
  const shape = fields[type as LoopEvent['type']]
  for (const name of Object.keys(value)) {
    if (name === 'type' || Object.hasOwn(shape, name)) continue
    const names = Object.keys(shape).join(', ') || 'none'
    throw refusal(number, `\`${type}\` has no field \`${name}\`; its fields are: ${names}`)
  }
  for (const [name, rule] of Object.entries(shape)) checkField(value, { name, rule, number })
  if (type === 'tool_result' && (value['text'] === undefined) === (value['content'] === undefined))
    throw refusal(number, '`tool_result` must have either `text` or `content`')
  return value as unknown as LoopEvent
}

interface Field {
  readonly name: string
  readonly rule: Kind | `${Kind}?`
  readonly number: number
}

function checkField(event: Readonly<Record<string, unknown>>, { name, rule, number }: Field): void {
  const kind = rule.replace('?', '') as Kind
  const value = event[name]
  if (value === undefined && rule.endsWith('?')) return
  if (tests[kind](value)) return
  const path = `${String(event['type'])}.${name}`
  throw refusal(number, `\`${path}\` must be ${kindNames[kind]}, got ${typeNameOf(value)}`)
}

/** Creates the error for an event that a loop must not yield. */
export function refusal(number: number, problem: string): MillraceError {
  return badRequest(`event ${number}: ${problem}. Correct the loop that yields it.`)
}

/** Checks for the memory that adapters of this library yield beside the events. */
export function isMemory(event: LoopEvent | LoopMemory): event is LoopMemory {
  return event.type === 'memory'
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeNameOf(value) === 'object'
}

function typeNameOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'list' : typeof value
}

function isJson(value: unknown): boolean {
  try {
    return JSON.stringify(value) !== undefined
  } catch {
    return false
  }
}
