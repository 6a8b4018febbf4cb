import { useEffect, useRef } from 'react'
import { type PageTool, serveTool, type Session } from '../client/index.ts'

/**
 * Runs a tool of this page whenever the agent calls it, while the component is mounted. Each call runs once, regardless of the number of
 * tabs. The schema types the input; the latest `run` is used.
 */
export function useFrontendTool<Input = unknown>(session: Session, tool: PageTool<Input>): void {
  const { name, input } = tool
  const latest = useRef(tool)
  useEffect(() => {
    latest.current = tool
  })
  useEffect(
    () =>
      serveTool<Input>(session, {
        name,
        ...(input && { input }),
        run: (checked, call) => latest.current.run(checked, call),
      }),
    [session, name, input],
  )
}
