import type { CDPSession } from 'playwright-core'

/** CPU time of a page's main thread since it was opened, in milliseconds. */
export type Times = Readonly<Record<'task' | 'script' | 'layout', number>>

/** Reads the CPU time of the main thread so far. */
export async function readTimes(session: CDPSession): Promise<Times> {
  const { metrics } = await session.send('Performance.getMetrics')
  const find = (name: string): number =>
    (metrics.find((metric) => metric.name === name)?.value ?? NaN) * 1000
  const layout = find('LayoutDuration') + find('RecalcStyleDuration')
  return { task: find('TaskDuration'), script: find('ScriptDuration'), layout }
}
