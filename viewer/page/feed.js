// The stream of pictures: messages of a length and, compressed, JSON and pictures; see feed.py.

async function inflate(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).arrayBuffer();
}

function readPicture(buffer, at) {
  const [width, height, count] = new Uint32Array(buffer, at, 3);
  at += 12;
  const colours = new Uint32Array(buffer, at, count);
  at += 4 * count;
  const size = width * height, wide = count > 256;
  const indexes = new (wide ? Uint16Array : Uint8Array)(buffer, at, size);
  const pixels = new Uint32Array(size);
  for (let i = 0; i < size; i++) pixels[i] = colours[indexes[i]] | 0xff000000;
  const image = new ImageData(new Uint8ClampedArray(pixels.buffer), width, height);
  return [image, at + Math.ceil((size * (wide ? 2 : 1)) / 4) * 4];
}

async function readMessage(bytes) {
  const buffer = await inflate(bytes);
  const length = new DataView(buffer).getUint32(0, true);
  const facts = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  const pictures = [];
  for (let at = 4 + length; at < buffer.byteLength;) {
    const [image, next] = readPicture(buffer, at);
    pictures.push(image);
    at = next;
  }
  return { ...facts, pictures };
}

/** Calls `take` with each message until `signal` aborts; throws when the server is gone. */
export async function follow(address, take, signal) {
  const response = await fetch(address, { signal });
  if (!response.ok) throw new Error(`the server says ${response.status}`);
  const reader = response.body.getReader();
  let rest = new Uint8Array(0);
  for (;;) {
    const { done, value } = await reader.read();
    if (done) throw new Error("the server has ended the stream");
    const joined = new Uint8Array(rest.length + value.length);
    joined.set(rest);
    joined.set(value, rest.length);
    let at = 0;
    while (joined.length - at >= 4) {
      const length = new DataView(joined.buffer, at, 4).getUint32(0, true);
      if (joined.length - at < 4 + length) break;
      take(await readMessage(joined.subarray(at + 4, at + 4 + length)));
      at += 4 + length;
    }
    rest = joined.slice(at);
  }
}
