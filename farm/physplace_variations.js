// SPDX-License-Identifier: GPL-3.0-or-later
// A job type for Flamenco: a PhysPlace batch, spread over the workers of a farm in ranges of variations.
// Put this file into the folder `scripts` beside the Flamenco Manager. Each worker's Blender needs PhysPlace.

const JOB_TYPE = {
    label: "PhysPlace Variations",
    description: "Variations of a scene whose objects come to rest, as a PhysPlace job file says",
    settings: [
        {
            key: "job_file", type: "string", subtype: "file_path", required: true,
            description: "The JSON file of the batch, on storage that all workers reach",
        },
        {
            key: "variations", type: "int32", required: true, default: 1000,
            description: "How many variations there are; the job file's own number is the most",
        },
        {
            key: "chunk_size", type: "int32", required: true, default: 20,
            description: "How many variations a task does",
        },
    ],
};

function compileJob(job) {
    const settings = job.settings;
    if (settings.variations < 1 || settings.chunk_size < 1) {
        throw new Error("PhysPlace Variations: variations and chunk_size have to be at least 1");
    }
    for (let first = 0; first < settings.variations; first += settings.chunk_size) {
        const count = Math.min(settings.chunk_size, settings.variations - first);
        const task = author.Task(`variations-${first}-${first + count - 1}`, "blender");
        task.addCommand(author.Command("exec", {
            exe: "{blender}",
            args: [
                "--command", "physplace", settings.job_file,
                "--first", `${first}`, "--count", `${count}`, "--accept-restless",
            ],
        }));
        job.addTask(task);
    }
}
