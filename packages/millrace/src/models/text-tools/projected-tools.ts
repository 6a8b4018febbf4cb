import {
  defaultProjections,
  type ParameterTypes,
  type Projection,
  type Projections,
  type ToolParameters,
} from '../../segments/index.ts'

/** Returns the projection of a tool, if its parameters are those of a file or command tool. */
export function projectionFor(name: string, types: ParameterTypes = {}): Projection | undefined {
  const key = name.toLowerCase()
  const projection = Object.hasOwn(defaultProjections, key) ? defaultProjections[key] : undefined
  if (projection === undefined) return undefined
  const own = [projection.content, ...(projection.path === undefined ? [] : [projection.path])]
  return own.every((parameter) => types[parameter] === 'string') ? projection : undefined
}

/** Returns the tools whose content is read verbatim, without escapes. */
export function projectionsFor(tools: ToolParameters): Projections {
  return Object.fromEntries(
    Object.entries(tools).flatMap(([name, types]) => {
      const projection = projectionFor(name, types)
      return projection === undefined ? [] : [[name.toLowerCase(), projection]]
    }),
  )
}
