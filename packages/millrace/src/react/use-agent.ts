import type { Connection, OutgoingPrompt, Session, SessionSnapshot } from '../client/index.ts'
import type { TranscriptError, TranscriptStatus } from '../client/transcript/index.ts'
import { useSession } from './use-session.ts'

/** A conversation as a component that steers it needs it: where it stands, and what can be done. */
export interface AgentHandle extends Pick<Session, 'run' | 'answer' | 'watch'> {
  readonly status: TranscriptStatus
  /** Why the last run failed, if it did. */
  readonly error: TranscriptError | undefined
  readonly connection: Connection
  /** A prompt that the transcript does not show yet, or that did not arrive. */
  readonly prompt: OutgoingPrompt | undefined
}

const status = ({ transcript }: SessionSnapshot): TranscriptStatus => transcript.status
const error = ({ transcript }: SessionSnapshot): TranscriptError | undefined => transcript.error
const connection = (snapshot: SessionSnapshot): Connection => snapshot.connection
const prompt = (snapshot: SessionSnapshot): OutgoingPrompt | undefined => snapshot.prompt

/** Follows where a session stands, without rendering again for each word of the answer. */
export function useAgent(session: Session): AgentHandle {
  return {
    status: useSession(session, status),
    error: useSession(session, error),
    connection: useSession(session, connection),
    prompt: useSession(session, prompt),
    run: session.run,
    answer: session.answer,
    watch: session.watch,
  }
}
