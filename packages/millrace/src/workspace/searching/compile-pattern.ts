import picomatch from 'picomatch'
import { badRequest } from '../../errors/index.ts'
import { quote } from '../paths/root.ts'

const LONGEST_PATTERN = 1000

/** Compiles a model's regular expression. */
export function compilePattern(pattern: string, { ignoresCase }: { ignoresCase: boolean }): RegExp {
  checkLength(pattern)
  // The only inline flag that models write, from other regex engines.
  const isMarked = pattern.startsWith('(?i)')
  const source = isMarked ? pattern.slice('(?i)'.length) : pattern
  const flags = ignoresCase || isMarked ? 'i' : ''
  try {
    return tryUnicode(source, flags)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : 'it cannot be read'
    throw badRequest(
      `${quote(pattern)} is not a JavaScript regular expression: ${reason}. Escape literal characters with a backslash.`,
      { cause },
    )
  }
}

/** Compiles a glob. One without "/" matches names in any folder. */
export function compileGlob(glob: string): RegExp {
  checkLength(glob)
  const deep = glob.includes('/') ? glob.replace(/^\.?\//, '') : `**/${glob}`
  // Names may contain line ends, which the dot matches only with the flag `s`.
  return picomatch.makeRe(deep, { dot: true, nonegate: true, flags: 's' })
}

/** Compiles with Unicode mode, else without. Only Unicode mode handles characters beyond 16 bits, but it rejects unnecessary escapes. */
function tryUnicode(source: string, flags: string): RegExp {
  try {
    return new RegExp(source, `${flags}u`)
  } catch {
    return new RegExp(source, flags)
  }
}

function checkLength(pattern: string): void {
  if (pattern.length <= LONGEST_PATTERN) return
  throw badRequest(
    `The pattern has ${pattern.length} characters; the maximum is ${LONGEST_PATTERN}.`,
  )
}
