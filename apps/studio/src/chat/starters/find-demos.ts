import { demoGroups } from './demos.ts'
import type { Demo } from './demos.ts'

const allDemos = demoGroups.flatMap(({ demos }) => demos)

/** Finds the demos that begin with a text; none if it is a complete demo or not a command. */
export function findDemos(text: string): readonly Demo[] {
  if (!text.startsWith('/') || allDemos.some(({ prompt }) => prompt === text)) return []
  return allDemos.filter(({ prompt }) => prompt.startsWith(text))
}
