import { toServerUrl } from './server-address.ts'

/**
 * The source of an image that a tool returned: in the message itself, or the server's route for images. Any other place
 * would learn that the page was read, and by whom.
 */
export function toSafeImage(src: string, server: string): string | undefined {
  if (/^data:image\/(?:png|jpe?g|gif|webp|avif);base64,/i.test(src)) return src
  if (!/^\/agent\/[\w-]+\/images\/[\w-]+$/.test(src)) return undefined
  return toServerUrl(server) + src
}

/** Whether an address is of another origin than the page. */
export function isCrossOrigin(url: string): boolean {
  return !/^(?:data|blob):/.test(url) && new URL(url).origin !== location.origin
}

/** The address of a file that the server keeps, if it is the route for files: a place may be any text. */
export function toSafeDownload(place: string | undefined, server: string): string | undefined {
  if (place === undefined || !/^\/agent\/[\w-]+\/files\/[\w-]+$/.test(place)) return undefined
  return toServerUrl(server) + place
}
