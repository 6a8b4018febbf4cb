import { useCallback, useState } from 'react'
import { agentOf, rootAgent } from 'millrace'
import type { Transcript } from 'millrace'
import { steerRun } from 'millrace/client'
import type { OutgoingPrompt, Session } from 'millrace/client'
import { useTranscript } from 'millrace/react'
import type { UploadedFile } from '../attachments/index.ts'
import { askWithFiles } from './ask-with-files.ts'

/** Something to be said. */
export interface Message {
  readonly text: string
  readonly files?: readonly UploadedFile[]
  /** The one agent of the run under way that is told; all of it if not given. */
  readonly agent?: string | undefined
}

/** Something that was told to the run under way. */
interface Told extends Message {
  /** How many blocks there were: it can only be shown behind them. */
  readonly after: number
}

/** A question with files that the transcript does not show yet. */
export interface OutgoingQuestion extends OutgoingPrompt {
  readonly files: readonly UploadedFile[]
  readonly error: { readonly message: string } | undefined
}

/** How a message is sent, and those that are on their way into a run. */
export interface Sending {
  /** Asks, or tells the run under way. */
  readonly send: (message: Message) => void
  /** What the run, or the one agent that is named, was told and does not show yet. */
  readonly told: readonly { readonly text: string; readonly to?: string }[]
  readonly outgoing: OutgoingQuestion | undefined
}

const isReading = (session: Session): boolean =>
  ['connecting', 'streaming', 'waiting'].includes(session.getSnapshot().connection.state)

/** Sends messages: into the run under way if there is one, else as a question. */
export function useSending(session: Session): Sending {
  const { tell, told } = useTelling(session)
  const { ask, outgoing } = useAsking(session)
  const send = useCallback(
    (message: Message) => {
      const { text, files = [] } = message
      // A promise that is rejected is told by the session itself.
      if (files.length > 0) void ask(text, files)
      else (isReading(session) ? tell(message) : session.run(text)).catch(() => {})
    },
    [session, tell, ask],
  )
  return { send, told, outgoing }
}

/** Asks questions that have files, which the session itself has no way for. */
function useAsking(session: Session) {
  const [outgoing, setOutgoing] = useState<OutgoingQuestion>()
  const ask = useCallback(
    async (text: string, files: readonly UploadedFile[]) => {
      const question = { text, files, state: 'sending', error: undefined } as const
      const before = runsOf(session.getSnapshot().transcript)
      setOutgoing(question)
      const isAsked = () => runsOf(session.getSnapshot().transcript) > before
      const forget = session.subscribe(() => {
        if (isAsked()) setOutgoing(undefined)
      })
      try {
        await askWithFiles(session, text, files)
        setOutgoing(undefined)
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error)
        if (!isAsked()) setOutgoing({ ...question, state: 'unsent', error: { message } })
      } finally {
        forget()
      }
    },
    [session],
  )
  return { ask, outgoing }
}

/** Tells things to the run under way. */
function useTelling(session: Session) {
  const [sent, setSent] = useState<readonly Told[]>([])
  const tell = useCallback(
    async ({ text, agent }: Message) => {
      const told = { text, agent, after: blocksOf(session.getSnapshot().transcript, agent).length }
      setSent((before) => [...before, told])
      const forget = () => setSent((before) => before.filter((other) => other !== told))
      const isTaken = await steerRun(session, text, agent).catch(() => false)
      // What is read may be the end of a run, or no run at all: then it is a question of its own.
      await session.watch().catch(() => {})
      forget()
      if (!isTaken) await session.run(text)
    },
    [session],
  )
  const select = useCallback(
    (transcript: Transcript) =>
      JSON.stringify(
        sent
          .filter((told) => !isShown(transcript, told))
          .map(({ text, agent }) => ({ text, to: agent && agentOf(transcript, agent)?.name })),
      ),
    [sent],
  )
  return { tell, told: JSON.parse(useTranscript(session, select)) as Sending['told'] }
}

function runsOf(transcript: Transcript): number {
  return rootAgent(transcript)?.runs.length ?? 0
}

function blocksOf(transcript: Transcript, agent: string | undefined) {
  const node = agent === undefined ? rootAgent(transcript) : agentOf(transcript, agent)
  return node?.blocks ?? { length: 0, at: () => undefined }
}

function isShown(transcript: Transcript, { text, after, agent }: Told): boolean {
  const blocks = blocksOf(transcript, agent)
  for (let position = after; position < blocks.length; position++) {
    const block = blocks.at(position)
    if (block?.type === 'user_message' && block.text === text) return true
  }
  return false
}
