import { readField } from '../../json/index.ts'
import { accessTo } from '../../server/index.ts'
import { useStudio } from '../../session/index.ts'
import { useKeptState } from '../../ui/index.ts'

/** Arguments of a call on the server, if they differ from those shown. */
export interface CurrentArguments {
  /** The arguments as JSON; undefined unless they differ. */
  readonly text: string | undefined
  /** Requests the arguments from the server. */
  readonly load: () => Promise<void>
}

/** Reads the arguments of a pending call from the server on request. */
export function useCurrentArguments(callId: string): CurrentArguments {
  const { session, server } = useStudio()
  const [text, setText] = useKeptState<string | undefined>('current-arguments', undefined)
  const load = async () => {
    const answer = await accessTo(server).ask(`/agent/${session.id}`)
    const waiting = answer.ok ? readField(answer.body, 'pending_approvals') : undefined
    const found: unknown = Array.isArray(waiting)
      ? waiting.find((each) => readField(each, 'tool_use_id') === callId)
      : undefined
    if (found !== undefined) setText(JSON.stringify(readField(found, 'input') ?? {}))
  }
  return { text, load }
}
