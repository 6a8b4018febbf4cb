import type { FieldsBody } from '../../format.ts'
import type { BodyReader } from '../block.ts'
import { compileFieldsGrammar, type FieldsGrammar } from './fields-grammar.ts'
import { FieldsReader } from './fields-reader.ts'
import type { Opening } from '../opening.ts'
import type { Reader } from '../reader.ts'
import type { Reading } from '../scan/step.ts'

/** Compiles arguments in tags of their own. */
export function compileFields(body: FieldsBody): BodyReader {
  const grammar = compileFieldsGrammar(body)
  return function* (reader, opening) {
    const { attributes, metadata, selfClosing } = opening
    const name = (body.name === undefined ? undefined : attributes.get(body.name)) ?? opening.name
    if (name === '' || !(yield* begins(reader, grammar, opening))) return false
    reader.accept()
    const call = reader.call({ name, body: 'fields', ...(metadata !== undefined && { metadata }) })
    const fields = new FieldsReader(reader, call, grammar, name)
    if (selfClosing === true) call.end()
    else while (yield* fields.readNext());
    return true
  }
}

/**
 * A tag is a call only if its arguments or its end follow; a tag that names the tool may also be at the end of the
 * stream.
 */
function* begins(reader: Reader, grammar: FieldsGrammar, opening: Opening): Reading<boolean> {
  const { body, next } = grammar
  if (opening.selfClosing === true || body.isCertain === true) return true
  const { position } = reader
  yield* reader.skipSpace()
  const found = yield* reader.match(next.markers)
  const isCut = body.isTag !== true && reader.isCutAt(next.markers)
  reader.position = position
  return found !== undefined || isCut
}
