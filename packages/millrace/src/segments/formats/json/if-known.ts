import { compileArguments } from '../../engine/bodies/arguments-body.ts'
import type { ArgumentsBody, CustomBody } from '../../format.ts'

/** JSON arguments of a call whose marker could be prose: it must name a known tool if tools are known. */
export function ifKnown(body: ArgumentsBody = {}): CustomBody {
  const read = compileArguments(body)
  return function* (reader, opening) {
    return reader.isKnown(opening.name) && (yield* read(reader, opening))
  }
}
