import { badRequest } from '../errors/index.ts'

/** Tool names that all model APIs accept. */
const TOOL_NAME = /^[a-zA-Z0-9_-]{1,64}$/

/** Throws `bad_request` for a name that a model API would reject. */
export function checkToolName(name: string): void {
  if (TOOL_NAME.test(name)) return
  throw badRequest(
    `"${name.slice(0, 80)}" is not a valid tool name; use 1 to 64 letters, digits, "_" or "-".`,
  )
}
