import { expect } from 'vitest'
import type { Envelope } from '../../../src/events/index.ts'

/** The envelopes of a type. */
export function ofType(messages: readonly Envelope[], ...types: readonly string[]): Envelope[] {
  return messages.filter(({ type }) => types.includes(type))
}

/** The content of the first block of a type: its deltas up to the final envelope. */
export function contentOf(messages: readonly Envelope[], type: string): string {
  const all = ofType(messages, type)
  const end = all.findIndex(({ final }) => final)
  if (end === -1) throw new Error(`There is no whole ${type}.`)
  return all
    .slice(0, end + 1)
    .map(({ delta }) => delta)
    .join('')
}

/** The content of the first block of a type, read as JSON. */
export function jsonOf(messages: readonly Envelope[], type: string): Record<string, unknown> {
  return JSON.parse(contentOf(messages, type)) as Record<string, unknown>
}

/** The types of a stream in order, neighbours of one type counted once. */
export function typesInOrder(messages: readonly Envelope[]): string[] {
  const types = messages.map(({ type }) => type)
  return types.filter((type, index) => type !== types[index - 1])
}

/** Checks that the envelopes of a type have exactly these fields, in all their blocks. */
export function expectFields(
  messages: readonly Envelope[],
  type: string,
  fields: readonly string[],
): void {
  const all = ofType(messages, type)
  expect(all.length).toBeGreaterThan(0)
  for (const message of all) expect(Object.keys(message).sort()).toEqual([...fields].sort())
}

/** The fields of every envelope. */
export const baseFields = ['type', 'agent', 'final', 'delta'] as const
