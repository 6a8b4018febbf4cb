import { isAbsolute, posix, relative, resolve } from 'node:path'
import { MillraceError } from '../../errors/index.ts'
import { quote } from './quote.ts'
import { isWithin, type Root } from './root.ts'

/** Maximum length of a path in Linux. */
const LONGEST_PATH = 4096

/** Patterns of invalid paths, with the remedy. */
const refusals: readonly { test: (path: string) => boolean; message: string }[] = [
  { test: (path) => path === '', message: 'is empty; use "." for the root of the workspace.' },
  { test: (path) => path.includes('\0'), message: 'contains a NUL character; remove it.' },
  {
    test: (path) => path.length > LONGEST_PATH,
    message: `is longer than ${LONGEST_PATH} characters, the maximum of a path.`,
  },
  {
    test: (path) => /^[a-z]:/i.test(path) || path.startsWith('\\\\'),
    message: 'is a path of Windows; write it relative to the root of the workspace, with "/".',
  },
  {
    test: (path) => path.includes('\\'),
    message: 'has a backslash; write "/" between the names of folders.',
  },
  {
    test: (path) => path === '~' || path.startsWith('~/'),
    message: 'starts at the home folder; write it relative to the root of the workspace.',
  },
]

/** Converts a model's path to one relative to the root, by name only. Throws if it leads out of the root. */
export function toRelative(root: Root, path: string): string {
  const refusal = refusals.find(({ test }) => test(path))
  if (refusal !== undefined) {
    throw new MillraceError('bad_request', `The path ${quote(path)} ${refusal.message}`)
  }
  const starts = isAbsolute(path) ? [root.path, root.given] : [root.path]
  const start = starts.find((folder) => isWithin(folder, resolve(folder, path)))
  if (start === undefined) throw outside(path)
  return relative(start, resolve(start, path))
}

function outside(path: string): MillraceError {
  const inside = posix.resolve('/', path).slice(1) || '.'
  return new MillraceError(
    'forbidden',
    `The path ${quote(path)} is outside the workspace. Paths are relative to its root; use ${quote(inside)} for the path inside it.`,
  )
}
