import { saveFile } from '../ui/index.ts'
import { accessTo } from './access.ts'

/** Downloads a file of a server with its token, which a plain link cannot send. Rejects with a message for the user. */
export async function saveFromServer(server: string, url: string, name: string): Promise<void> {
  const response = await fetch(url, { headers: accessTo(server).headers() }).catch(() => {
    throw new Error('The server could not be reached.')
  })
  if (!response.ok) throw new Error(`The server did not return the file (${response.status}).`)
  saveFile(await response.blob(), name)
}
