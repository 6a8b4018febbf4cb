import { foldText } from '../characters.ts'
import type { ToolBodies } from '../format.ts'
import type { BodyReader, CompileBody } from './block.ts'

/** Compiles a body that is selected by the tool that an attribute of the opener names. */
export function compileTools(body: ToolBodies, compileBody: CompileBody): BodyReader {
  const otherwise = compileBody(body.otherwise)
  const projected = body.projected === undefined ? otherwise : compileBody(body.projected)
  const states = new Map(
    Object.entries(body.states ?? {}).map(([tool, state]) => [foldText(tool), compileBody(state)]),
  )
  return (reader, opening) => {
    const tool = opening.attributes.get(body.name) ?? ''
    const rest = reader.projectionOf(tool) === undefined ? otherwise : projected
    return (states.get(foldText(tool)) ?? rest)(reader, opening)
  }
}
