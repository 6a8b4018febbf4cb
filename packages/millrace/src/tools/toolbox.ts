import { badRequest } from '../errors/index.ts'
import type { ToolSchema } from '../events/index.ts'
import type { Tool } from './tool.ts'

/** The tools of one agent, by name. */
export interface Toolbox {
  /** Schemas for the model, in the given order. */
  readonly schemas: readonly ToolSchema[]
  find(name: string): Tool | undefined
}

/** Creates a toolbox. Throws `bad_request` if two tools have the same name. */
export function createToolbox(tools: readonly Tool[]): Toolbox {
  const byName = new Map(tools.map((tool) => [tool.schema.name, tool]))
  if (byName.size < tools.length) {
    const names = tools.map((tool) => tool.schema.name)
    const twice = names.find((name, index) => names.indexOf(name) !== index)
    throw badRequest(`Two tools are named "${twice}"; rename one of them.`)
  }
  return { schemas: tools.map((tool) => tool.schema), find: (name) => byName.get(name) }
}
