import { demoGroups } from './demos.ts'
import type { Demo } from './demos.ts'

const allDemos = demoGroups.flatMap(({ demos }) => demos)

/** The demos that what is written may become; none once it is one, or if it is no command. */
export function findDemos(text: string): readonly Demo[] {
  if (!text.startsWith('/') || allDemos.some(({ prompt }) => prompt === text)) return []
  return allDemos.filter(({ prompt }) => prompt.startsWith(text))
}
