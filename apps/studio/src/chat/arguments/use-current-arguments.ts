import { readField } from '../../json/index.ts'
import { accessTo } from '../../server/index.ts'
import { useStudio } from '../../session/index.ts'
import { useKeptState } from '../../ui/index.ts'

/** The arguments that the server holds for a call, where they turned out to be others than those shown. */
export interface CurrentArguments {
  /** As JSON; undefined as long as nothing is known to differ. */
  readonly text: string | undefined
  /** Asks the server for them. */
  readonly load: () => Promise<void>
}

/** Reads the arguments of a call that waits for approval from the server, on request. */
export function useCurrentArguments(toolUseId: string): CurrentArguments {
  const { session, server } = useStudio()
  const [text, setText] = useKeptState<string | undefined>('current-arguments', undefined)
  const load = async () => {
    const answer = await accessTo(server).ask(`/agent/${session.id}`)
    const waiting = answer.ok ? readField(answer.body, 'pending_approvals') : undefined
    const found: unknown = Array.isArray(waiting)
      ? waiting.find((each) => readField(each, 'tool_use_id') === toolUseId)
      : undefined
    if (found !== undefined) setText(JSON.stringify(readField(found, 'input') ?? {}))
  }
  return { text, load }
}
