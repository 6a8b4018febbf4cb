import { toServerUrl } from './server-address.ts'

/**
 * Returns the source of a tool's image if it is in the message or on the server's image route. Any other server would
 * learn who reads the page.
 */
export function toSafeImage(src: string, server: string): string | undefined {
  if (/^data:image\/(?:png|jpe?g|gif|webp|avif);base64,/i.test(src)) return src
  if (!/^\/agent\/[\w-]+\/images\/[\w-]+$/.test(src)) return undefined
  return toServerUrl(server) + src
}

/** Reports whether an address has another origin than the page. */
export function isCrossOrigin(url: string): boolean {
  return !/^(?:data|blob):/.test(url) && new URL(url).origin !== location.origin
}

/** Returns the address of a file if it is on the server's file route; a location can be any text. */
export function toSafeDownload(place: string | undefined, server: string): string | undefined {
  if (place === undefined || !/^\/agent\/[\w-]+\/files\/[\w-]+$/.test(place)) return undefined
  return toServerUrl(server) + place
}
