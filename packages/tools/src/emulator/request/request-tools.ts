import { isJsonObject, type JsonObject, type JsonValue } from 'millrace'
import { decodeList } from './request-content.ts'
import { invalidRequest } from './invalid-request.ts'

/** The tools of a request. */
export interface OfferedTools {
  readonly names: ReadonlySet<string>
  /** Tools whose input is streamed while the model writes it. */
  readonly eager: ReadonlySet<string>
}

const namePattern = /^[\w-]{1,128}$/

/** Decodes the tools of a request; throws `bad_request` with the problem and its path. */
export function decodeTools(value: JsonValue | undefined): OfferedTools {
  const names = new Set<string>()
  const eager = new Set<string>()
  decodeList(value ?? [], 'tools').forEach((tool, index) => {
    const path = `tools.${index}`
    if (!isJsonObject(tool)) throw invalidRequest(path, 'must be an object')
    const name = decodeName(tool, path)
    if (name === undefined) return
    if (names.has(name)) throw invalidRequest(`${path}.name`, `there are two tools ${name}`)
    names.add(name)
    if (tool['eager_input_streaming'] === true) eager.add(name)
  })
  return { names, eager }
}

/** A toolset, such as that of an MCP server, has no name. */
function decodeName(
  { type, name, input_schema: schema }: JsonObject,
  path: string,
): string | undefined {
  const isCustom = type === undefined || type === null || type === 'custom'
  if (name === undefined && !isCustom) return undefined
  if (typeof name !== 'string' || !namePattern.test(name)) {
    throw invalidRequest(`${path}.name`, 'must be 1 to 128 letters, digits, hyphens or underscores')
  }
  if (isCustom && (!isJsonObject(schema) || schema['type'] !== 'object')) {
    throw invalidRequest(`${path}.input_schema`, 'must be a JSON Schema of the type object')
  }
  const choice = ['oneOf', 'allOf', 'anyOf'].find((key) => isJsonObject(schema) && key in schema)
  if (isCustom && choice !== undefined)
    throw invalidRequest(`${path}.input_schema`, `must not have ${choice} at its top`)
  return name
}
