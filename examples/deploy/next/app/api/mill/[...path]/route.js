import { handler } from '../../../../../handler.js'

const mount = '/api/mill'

/** Removes the mount path from the address. */
function answer(request) {
  const url = new URL(request.url)
  url.pathname = url.pathname.slice(mount.length)
  return handler.fetch(new Request(url, request))
}

export { answer as DELETE, answer as GET, answer as OPTIONS, answer as PATCH, answer as POST }
export const dynamic = 'force-dynamic'
