import { saveFile } from '../ui/index.ts'
import { accessTo } from './access.ts'

/** Fetches a file of a server with its token and saves it; a plain link could do neither. Rejects with words for people. */
export async function saveFromServer(server: string, url: string, name: string): Promise<void> {
  const response = await fetch(url, { headers: accessTo(server).headers() }).catch(() => {
    throw new Error('The server was not reached.')
  })
  if (!response.ok) throw new Error(`The server did not give the file (${response.status}).`)
  saveFile(await response.blob(), name)
}
