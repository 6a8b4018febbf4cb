import type { Connection } from './connection.ts'

/** Calls back when the client connects to another or a restarted server. */
export function watchRestarts(
  { client, send }: Connection,
  onRestart: () => Promise<void>,
  onError: (error: unknown) => void,
): void {
  let known: string | undefined
  const look = async (): Promise<void> => {
    const info = String(await send('info', ['server']))
    const id = /^run_id:(\w+)/m.exec(info)?.[1]
    const isOther = known !== undefined && id !== known
    known = id
    if (isOther) await onRestart()
  }
  client.on('ready', () => void look().catch(onError))
}
