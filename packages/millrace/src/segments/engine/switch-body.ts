import type { SwitchCase } from '../format.ts'
import type { BodyReader, CompileBody } from './block.ts'

/** Compiles a body that is selected by its first character after white space. */
export function compileSwitch(cases: readonly SwitchCase[], compileBody: CompileBody): BodyReader {
  const compiled = cases.map(({ first, body }) => ({ first, body: compileBody(body) }))
  return function* (reader, opening) {
    const unit = opening.selfClosing === true ? -1 : yield* reader.skipSpace()
    const char = unit === -1 ? '' : String.fromCharCode(unit)
    const chosen = compiled.find(({ first }) => first.test(char))
    return chosen === undefined ? false : yield* chosen.body(reader, opening)
  }
}
