import { useCallback, useState } from 'react'
import { rootAgent } from 'millrace'
import type { Transcript } from 'millrace'
import { steerRun } from 'millrace/client'
import type { Session } from 'millrace/client'
import { useTranscript } from 'millrace/react'

/** Something that was told to the run under way. */
interface Told {
  readonly text: string
  /** How many blocks there were: it can only be shown behind them. */
  readonly after: number
}

/** How a message is sent, and those that are on their way into a run. */
export interface Sending {
  /** Asks, or tells the run under way. */
  readonly send: (text: string) => void
  /** What the run was told and does not show yet. */
  readonly told: readonly string[]
}

const isReading = (session: Session): boolean =>
  ['connecting', 'streaming', 'waiting'].includes(session.getSnapshot().connection.state)

/** Sends messages: into the run under way if there is one, else as a question. */
export function useSending(session: Session): Sending {
  const [sent, setSent] = useState<readonly Told[]>([])
  const tell = useCallback(
    async (text: string) => {
      const after = rootAgent(session.getSnapshot().transcript)?.blocks.length ?? 0
      const told = { text, after }
      setSent((before) => [...before, told])
      const forget = () => setSent((before) => before.filter((other) => other !== told))
      const isTaken = await steerRun(session, text).catch(() => false)
      // What is read may be the end of a run, or no run at all: then it is a question of its own.
      await session.watch().catch(() => {})
      forget()
      if (!isTaken) await session.run(text)
    },
    [session],
  )
  const send = useCallback(
    (text: string) => {
      // A promise that is rejected is told by the session itself.
      ;(isReading(session) ? tell(text) : session.run(text)).catch(() => {})
    },
    [session, tell],
  )
  const select = useCallback(
    (transcript: Transcript) =>
      JSON.stringify(sent.filter((told) => !isShown(transcript, told)).map(({ text }) => text)),
    [sent],
  )
  return { send, told: JSON.parse(useTranscript(session, select)) as readonly string[] }
}

function isShown(transcript: Transcript, { text, after }: Told): boolean {
  const blocks = rootAgent(transcript)?.blocks
  for (let position = after; position < (blocks?.length ?? 0); position++) {
    const block = blocks?.at(position)
    if (block?.type === 'user_message' && block.text === text) return true
  }
  return false
}
