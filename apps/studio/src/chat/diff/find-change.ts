import { diffArrays } from 'diff'
import { readField, readString } from '../../json/index.ts'
import { isDiff, parseDiff } from './parse-diff.ts'
import type { DiffFile, DiffLine } from './parse-diff.ts'

/** A change of files in the arguments of a call, and the other arguments. */
export interface Change {
  readonly files: readonly DiffFile[]
  readonly rest: Readonly<Record<string, unknown>>
}

/** Fields that hold a unified diff. */
const patchFields = ['patch', 'diff', 'input']
/** Pairs of fields that hold a text and its replacement. */
const pairs = [
  ['old_string', 'new_string'],
  ['old_str', 'new_str'],
  ['old_text', 'new_text'],
] as const
const pathFields = ['path', 'file_path', 'filename']
/** Longer patches are shown as text. */
const MAX_LENGTH = 400_000
/** Texts with more changed lines are shown as removed and added; a search for more takes too long. */
const MAX_EDITS = 500

/** Returns the change that arguments describe, if it can be shown as a diff. */
export function findChange(input: unknown): Change | undefined {
  if (typeof input !== 'object' || input === null) return undefined
  const pathField = pathFields.find((field) => readString(input, field))
  const path = pathField === undefined ? '' : (readString(input, pathField) ?? '')
  for (const field of patchFields) {
    const patch = readString(input, field)
    if (patch === undefined || patch.length > MAX_LENGTH || !isDiff(patch)) continue
    const files = parseDiff(patch).map((file) => ({ ...file, path: file.path || path }))
    // A path that no file shows is an ordinary argument.
    const isShown = files.some((file) => file.path === path)
    return { files, rest: without(input, [field, ...(isShown ? [pathField] : [])]) }
  }
  for (const [before, after] of pairs) {
    const [old, next] = [readString(input, before), readString(input, after)]
    if (old === undefined || next === undefined || old.length + next.length > MAX_LENGTH) continue
    return {
      files: [compareTexts(path, old, next)],
      rest: without(input, [before, after, pathField]),
    }
  }
  return undefined
}

/** Compares two texts line by line. */
function compareTexts(path: string, before: string, after: string): DiffFile {
  const [old, next] = [toLines(before), toLines(after)]
  const changes = diffArrays(old, next, { maxEditLength: MAX_EDITS }) ?? [
    { value: old, removed: true, added: false },
    { value: next, removed: false, added: true },
  ]
  const lines = changes.flatMap(({ value, added, removed }) =>
    value.map((text) => toLine(added ? 'add' : removed ? 'remove' : 'keep', text)),
  )
  const count = (kind: DiffLine['kind']) => lines.filter((line) => line.kind === kind).length
  const [added, removed] = [count('add'), count('remove')]
  if (before.endsWith('\n') !== after.endsWith('\n')) lines.push(toLine('note', describeEnd(after)))
  return { path, hunks: [{ header: '', lines }], added, removed }
}

function describeEnd(after: string): string {
  return after.endsWith('\n') ? 'A final line break is added' : 'The final line break is removed'
}

function toLines(text: string): string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n')
}

function toLine(kind: DiffLine['kind'], text: string): DiffLine {
  return { kind, text, before: undefined, after: undefined }
}

function without(
  input: object,
  fields: readonly (string | undefined)[],
): Readonly<Record<string, unknown>> {
  const names = Object.keys(input).filter((name) => !fields.includes(name))
  return Object.fromEntries(names.map((name) => [name, readField(input, name)]))
}
