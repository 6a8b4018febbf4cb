import { callShapes } from '../invocations/call-shapes.ts'

/** The key names of calls in JSON, for look-up. */
export const callKeys = {
  name: new Set([...callShapes.ownNames, ...callShapes.commonNames]),
  arguments: new Set(callShapes.arguments),
  wrapper: new Set(callShapes.wrappers),
  list: new Set(callShapes.lists),
  id: new Set(callShapes.ids),
}
