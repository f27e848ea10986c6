#pragma once //! `#` starts no comment
#include <cstdint> //! `#` starts no comment
struct Player { //! the file does not say its protocol
    uint8_t id; //! the name comes first; write `id uint8` //! no semicolons
    float x, y; //! the name comes first; write `x float32` //! no semicolons
    char name[16]; //! the name comes first; write `name char(16)` //! no semicolons
    std::string nick; //! no semicolons //! there are no namespaces
}; //! no semicolons
